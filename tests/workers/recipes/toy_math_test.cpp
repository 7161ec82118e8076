#include "workers/recipes/toy_math.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace stepscope::workers;

TEST_CASE("matmul multiplies row-major matrices") {
  // [1 2; 3 4] * [5 6 7; 8 9 10] = [21 24 27; 47 54 61]
  const std::vector<float> in{1, 2, 3, 4};
  const std::vector<float> weights{5, 6, 7, 8, 9, 10};
  std::vector<float> out(6, 99.0F);
  matmul(in, weights, out, 2, 3);
  CHECK(out == std::vector<float>{21, 24, 27, 47, 54, 61});
}

TEST_CASE("rms_norm scales each row to a root mean square of one") {
  // row (3, 4): mean square 12.5, so 3 / sqrt(12.5) = 0.848528 and 4 / sqrt(12.5) = 1.131371
  const std::vector<float> in{3, 4, 30, 40};
  const std::vector<float> gain{1, 2};
  std::vector<float> out(4);
  rms_norm(in, gain, out, 2);
  CHECK(out[0] == doctest::Approx(0.848528));
  CHECK(out[1] == doctest::Approx(2 * 1.131371));
  CHECK(out[2] == doctest::Approx(0.848528));  // the scale of a row does not matter
}

TEST_CASE("silu_and_mul gates the second half by the first") {
  // silu(1) = 1 / (1 + e^-1) = 0.731059; times 3. silu(0) = 0.
  const std::vector<float> in{1, 0, 3, 5};
  std::vector<float> out(2);
  silu_and_mul(in, out, 2);
  CHECK(out[0] == doctest::Approx(3 * 0.731059));
  CHECK(out[1] == 0.0F);
}

TEST_CASE("rope keeps lengths, and position 0 changes nothing") {
  std::vector<float> head{1, 2, 3, 4};
  rope(head, 0);
  CHECK(head == std::vector<float>{1, 2, 3, 4});
  rope(head, 1);
  // The first pair turns by one radian: (cos 1 - 2 sin 1, sin 1 + 2 cos 1).
  CHECK(head[0] == doctest::Approx(std::cos(1.0) - 2 * std::sin(1.0)));
  CHECK(head[1] == doctest::Approx(std::sin(1.0) + 2 * std::cos(1.0)));
  CHECK(head[2] * head[2] + head[3] * head[3] == doctest::Approx(25.0));
}

TEST_CASE("attend weighs values by the softmax of scaled products") {
  // One head of width 1: scores 0 and ln 3 give weights 1/4 and 3/4; 1/4 * 8 + 3/4 * 4 = 5.
  const std::vector<float> query{1};
  const std::vector<float> keys{0, std::log(3.0F)};
  const std::vector<float> values{8, 4};
  std::vector<float> scores(2);
  std::vector<float> out(1);
  attend(query, keys, values, 2, 1, scores, out);
  CHECK(out[0] == doctest::Approx(5.0));
  attend(query, keys, values, 1, 1, scores, out);  // later positions are not seen
  CHECK(out[0] == doctest::Approx(8.0));
}

TEST_CASE("top_k gives the largest first and the lower index on a tie") {
  const std::vector<float> scores{1, 5, 3, 5};
  CHECK(top_k(scores, 3) == std::vector<int>{1, 3, 2});
}

TEST_CASE("softmax sums to one and does not overflow") {
  std::vector<float> scores{1000, 1000};
  softmax(scores);
  CHECK(scores[0] == doctest::Approx(0.5));
  CHECK(scores[1] == doctest::Approx(0.5));
}

TEST_CASE("fixed weights are the same at every call and within their scale") {
  const auto a = fixed_weights(7, 1000, 0.5F);
  CHECK(a == fixed_weights(7, 1000, 0.5F));
  CHECK(a != fixed_weights(8, 1000, 0.5F));
  for (const float value : a) {
    CHECK(value >= -0.5F);
    CHECK(value < 0.5F);
  }
}
