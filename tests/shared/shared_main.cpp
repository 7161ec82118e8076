// Runs the suites over the shared folder, or says 77 (skipped) when it is not there.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "tests/shared/shared_folder.h"

int main(int argc, char** argv) {
  const std::filesystem::path folder = stepscope::tests::shared_folder();
  if (!std::filesystem::is_directory(folder)) {
    std::fprintf(stderr, "skipped: %s is no folder\n", folder.c_str());
    return 77;
  }
  doctest::Context context(argc, argv);
  return context.run();
}
