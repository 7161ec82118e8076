#pragma once
// Runs a check once for every kind of vectors that this machine has and the code was compiled for,
// the portable one among them, each forced in turn.

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>

namespace stepscope::tests {

template <typename Check>
void on_each_vector_target(Check check) {
  // Targets of the code under test are those that Highway compiles by default, as in here.
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const std::string name = hwy::TargetName(target);
    CAPTURE(name);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace stepscope::tests
