#include "webhooks/shapes.h"

#include <doctest/doctest.h>

using namespace stepscope::webhooks;

TEST_CASE("phases") {
  CHECK(phase_of("decode") == "decode");
  CHECK(phase_of("extend") == "prefill");
  CHECK(phase_of("decoder").empty());
}

TEST_CASE("lengths") {
  CHECK(length_of("8192") == 8192);
  CHECK(length_of("8k") == 8192);
  CHECK_FALSE(length_of("k").has_value());
  CHECK_FALSE(length_of("0").has_value());
  CHECK_FALSE(length_of("99999999k").has_value());
}

TEST_CASE("names with their numbers in one word") {
  const auto number = [](const char* word, Field field) {
    const auto item = attached_item(word);
    return item && item->field == field ? item->number : -1;
  };
  CHECK(number("c4", Field::conc) == 4);
  CHECK(number("conc16", Field::conc) == 16);
  CHECK(number("tp8", Field::tp) == 8);
  CHECK(number("ep1", Field::ep) == 1);
  CHECK(number("8k1k", Field::lengths) == 8192);
  CHECK(attached_item("8k/1k")->second == 1024);
  CHECK(attached_item("8192/1024")->second == 1024);
  for (const char* word : {"c", "cx", "8k", "3/4", "2024/08", "1k/", "b200", "k1k", ""}) {
    CHECK_FALSE_MESSAGE(attached_item(word).has_value(), word);
  }
}
