#include "webhooks/value.h"

#include <doctest/doctest.h>

#include "webhooks/fields.h"

using namespace stepscope::webhooks;

namespace {

Value read(std::string_view text) {
  const auto tokens = tokenize(text);
  return value_behind(text, tokens, 0, tokens.size());
}

}  // namespace

TEST_CASE("plain numbers") {
  CHECK(plain_number("0") == 0);
  CHECK(plain_number("007") == 7);
  CHECK(plain_number("2147483647") == 2147483647);
  for (const char* text :
       {"", "2147483648", "99999999999999999999", "-4", "+4", "4.0", "4x", "\xEF\xBC\x94"}) {
    CHECK_FALSE_MESSAGE(plain_number(text).has_value(), text);
  }
}

TEST_CASE("values in all their spellings") {
  for (const char* text : {"conc 4", "conc=4", "conc: 4", "conc = 4,", "conc of 4", "conc **4**",
                           "conc 4.", "conc four)", "conc=4;x", "conc 4: idle", "conc=4:"}) {
    CAPTURE(text);
    CHECK(read(text).number == 4);
  }
  CHECK(read("conc thirty two").number == 32);
}

TEST_CASE("what is no number is quoted as it stands") {
  CHECK(read("conc=$(Id)").text == "$(Id)");
  CHECK(read("conc=$(Id)").separated);
  CHECK(read("conc -4").text == "-4");
  CHECK(read("conc 99999999999999999999").text == "99999999999999999999");
  CHECK_FALSE(read("conc 99999999999999999999").number.has_value());
  CHECK(read("conc 4x").text == "4x");
  CHECK(read("conc 4.5").text == "4.5");
  CHECK(read("conc 4-16").text == "4-16");
  CHECK(read("conc 4:8").text == "4:8");
}

TEST_CASE("no value where the clause ends") {
  CHECK_FALSE(read("conc, then").present);
  CHECK_FALSE(read("conc").present);
  CHECK_FALSE(read("conc\n4").present);
  CHECK(read("conc=").present);
  CHECK(read("conc=").text.empty());
}
