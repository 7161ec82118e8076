// The floor of the benchmark: inflate_only isal|zlib FILE.gz. It links the two libraries and no
// more, so that its start costs nothing that reading does not need.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>

#include "tests/bench/floors.h"

int main(int argc, char** argv) {
  using namespace stepscope::bench;
  if (argc != 3) {
    std::fputs("usage: inflate_only isal|zlib FILE.gz\n", stderr);
    return 2;
  }
  try {
    const bool zlib = std::strcmp(argv[1], "zlib") == 0;
    const std::uint64_t bytes = zlib ? inflate_with_zlib(argv[2]) : inflate_with_isal(argv[2]);
    std::printf("bytes %llu\n", static_cast<unsigned long long>(bytes));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "inflate_only: %s\n", error.what());
    return 1;
  }
}
