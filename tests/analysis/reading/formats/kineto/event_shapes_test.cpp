#include "analysis/reading/formats/kineto/event_shapes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

using namespace stepscope::analysis;
using Kind = JsonValue::Kind;

namespace {

struct Value {
  std::string_view text;  // as it stands in the event; the first place of it is taken
  Kind kind = Kind::scalar;
  Slot slot = kNoSlot;
  bool constant = false;
};

std::vector<EventPiece> pieces_of(std::string_view event, std::initializer_list<Value> values) {
  std::vector<EventPiece> pieces;
  std::size_t from = 0;
  for (const Value& value : values) {
    const std::size_t at = event.find(value.text, from);
    REQUIRE(at != std::string_view::npos);
    from = at + value.text.size();
    pieces.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(from), value.kind,
                      value.slot, value.constant});
  }
  return pieces;
}

constexpr Slot kName = slot_of(Field::name);
constexpr Slot kTs = slot_of(Field::ts);
constexpr Slot kStream = slot_of(Field::stream);

constexpr std::string_view kKernel =
    R"({"cat": "kernel", "name": "k<1>", "ts": 1.5, "args": {"grid": [1, 2], "stream": 7}})";

// What a shape learnt from kKernel makes of `event`; empty when it does not fit.
std::string taken(std::string_view event) {
  EventShapes shapes;
  shapes.learn(kKernel,
               pieces_of(kKernel, {{"kernel", Kind::string, slot_of(Field::cat), true},
                                   {"k<1>", Kind::string, kName},
                                   {"1.5", Kind::scalar, kTs},
                                   {"[1, 2]", Kind::container, slot_of_argument_key("grid")},
                                   {"7", Kind::scalar, kStream}}),
               true, 3);
  EventFields fields;
  fields.clear(false);
  const EventShapes::Match* match = shapes.match({.text = event, .escapes = false}, fields);
  if (match == nullptr) {
    CHECK(fields[Field::name].kind == Kind::none);  // nothing is left of a part that fitted
    return {};
  }
  CHECK(match->whole);
  CHECK(match->tag == 3);
  return fmt::format("{} {} {} {} {}", fields[Field::name].text, fields[Field::ts].text,
                     static_cast<int>(fields[Field::ts].kind),
                     fields.arguments().get(Argument::grid).text, fields[Field::stream].text);
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string event(kKernel);
  const std::size_t at = event.find(from);
  REQUIRE(at != std::string::npos);
  return event.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("values of a whole event are taken from their places, of any length") {
  const std::string scalar = std::to_string(static_cast<int>(Kind::scalar));
  CHECK(taken(kKernel) == "k<1> 1.5 " + scalar + " [1, 2] 7");
  CHECK(taken(replaced("k<1>", "")) == " 1.5 " + scalar + " [1, 2] 7");
  CHECK(taken(replaced("k<1>", std::string(2000, 'x'))) ==
        std::string(2000, 'x') + " 1.5 " + scalar + " [1, 2] 7");
  CHECK(taken(replaced("1.5", "-12345678901234567890.5e+3")) ==
        "k<1> -12345678901234567890.5e+3 " + scalar + " [1, 2] 7");
  CHECK(taken(replaced("1.5", "12345678")) == "k<1> 12345678 " + scalar + " [1, 2] 7");
  CHECK(taken(replaced("1.5", "NaN")) == "k<1> NaN " + scalar + " [1, 2] 7");
  CHECK(taken(replaced("1.5", "null")) ==
        "k<1> null " + std::to_string(static_cast<int>(Kind::null)) + " [1, 2] 7");
  CHECK(taken(replaced("[1, 2]", "[]")) == "k<1> 1.5 " + scalar + " [] 7");
}

TEST_CASE("what differs between the values, in their kind or behind them, fits no more") {
  for (const std::string& event :
       {replaced("kernel", "kernels"), replaced("kernel", "kerne"), replaced("\"ts\"", "\"tS\""),
        replaced("1.5", "\"1.5\""), replaced("1.5", ""), replaced("1.5", "x"),
        replaced("1.5", "[1]"), replaced("[1, 2]", "[[1], 2]"), replaced("[1, 2]", "[\"]\"]"),
        replaced("[1, 2]", "5"), replaced("7}}", "7}} "), replaced("7}}", "7, \"x\": 1}}"),
        replaced("7}}", "7}"), replaced("\"k<1>\"", "null"), std::string("{}"),
        std::string(kKernel.substr(0, 20))}) {
    CAPTURE(event);
    CHECK(taken(event).empty());
  }
}

TEST_CASE("of an event of no use only the first values are looked at") {
  constexpr std::string_view kFlow = R"({"ph": "s", "id": 5, "cat": "ac2g"})";
  EventShapes shapes;
  shapes.learn(kFlow, pieces_of(kFlow, {{"s", Kind::string, slot_of(Field::ph), true}}), false, 9);
  EventFields fields;
  fields.clear(false);
  const auto fits = [&](std::string_view event) {
    const EventShapes::Match* match = shapes.match({.text = event, .escapes = false}, fields);
    return match != nullptr && !match->whole && match->tag == 9;
  };
  CHECK(fits(kFlow));
  CHECK(fits(R"({"ph": "s"})"));
  CHECK(fits(R"({"ph": "s", anything})"));
  CHECK_FALSE(fits(R"({"ph": "sx"})"));  // the constant ends with its quote
  CHECK_FALSE(fits(R"({"ph": "f"})"));
}

TEST_CASE("arguments in front of the category are passed over as one value") {
  constexpr std::string_view kOp = R"({"args":{"a":[["x"]]},"cat":"cpu_op","name":"aten::mm"})";
  constexpr std::string_view kArguments = R"({"a":[["x"]]})";
  EventShapes shapes;
  shapes.learn(kOp,
               pieces_of(kOp, {{kArguments, Kind::container},
                               {"cpu_op", Kind::string, slot_of(Field::cat), true},
                               {"aten::mm", Kind::string, kName}}),
               false, 1);
  const std::string event = R"({"args":{"b":"}","c":{}},"cat":"cpu_op","name":"aten::add"})";
  const std::string_view text = event;
  EventFields fields;
  fields.clear(false);
  CHECK(shapes.match({.text = text, .escapes = false, .inner = text.substr(8, 16)}, fields) !=
        nullptr);
  CHECK(fields[Field::name].text == "aten::add");
  fields.clear(false);
  CHECK(shapes.match({.text = text, .escapes = false}, fields) == nullptr);  // ends are not known
}

TEST_CASE("the number of shapes is bounded, and a file without repetition is not learnt for ever") {
  EventShapes shapes;
  EventFields fields;
  fields.clear(false);
  const auto event = [](int i) { return fmt::format(R"({{"k{}": "v", "name": "n"}})", i); };
  int learnt = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = event(i);
    shapes.learn(text, pieces_of(text, {{"v", Kind::string, slot_of(Field::cat), true}}), false, 0);
    if (shapes.match({.text = text, .escapes = false}, fields) != nullptr) ++learnt;
  }
  CHECK(learnt == static_cast<int>(EventShapes::kLearnedMax));
  int kept = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = event(i);
    if (shapes.match({.text = text, .escapes = false}, fields) != nullptr) ++kept;
  }
  CHECK(kept == static_cast<int>(EventShapes::kShapesMax));
}
