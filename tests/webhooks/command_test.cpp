#include "webhooks/command.h"

#include <doctest/doctest.h>

using namespace stepscope::webhooks;

TEST_CASE("verbs and their words") {
  for (const Verb verb :
       {Verb::profile, Verb::refuse, Verb::clarify, Verb::help, Verb::ignore, Verb::status,
        Verb::cancel, Verb::rerun, Verb::history, Verb::configs, Verb::compare, Verb::analyze}) {
    CHECK(verb_from(to_string(verb)) == verb);
  }
  CHECK(to_string(Verb::refuse) == "refuse");
  CHECK_FALSE(verb_from("reboot").has_value());
}
