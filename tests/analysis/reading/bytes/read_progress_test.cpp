#include "analysis/reading/bytes/read_progress.h"

#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

using namespace stepscope::analysis;

TEST_CASE("bytes add up over files, and never go back, whatever thread reads") {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  ReadProgress progress(
      [&](std::uint64_t read, std::uint64_t known) { seen.emplace_back(read, known); });
  progress.expect(3000);
  progress.expect(1000);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 100; ++n) progress.advance(10);
      });
    }
  }
  REQUIRE(seen.size() == 400);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i].first == 10 * (i + 1));
    CHECK(seen[i].second == 4000);
  }
}

TEST_CASE("nobody need listen") {
  ReadProgress progress({});
  progress.expect(1);
  progress.advance(1);
  std::uint64_t last = 0;
  ReadProgress heard([&](std::uint64_t read, std::uint64_t) { last = read; });
  heard.advance(5);
  CHECK(last == 5);
}
