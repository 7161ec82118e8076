#include "db/run.h"

#include <doctest/doctest.h>

using namespace stepscope::db;

TEST_CASE("every job state has one word that reads back") {
  int count = 0;
  for (int value = 0; value <= static_cast<int>(JobState::timed_out); ++value) {
    const auto state = static_cast<JobState>(value);
    CHECK(job_state_from(to_string(state)) == state);
    ++count;
  }
  CHECK(count == 9);
  CHECK(to_string(JobState::analysing) == "analysing");
  CHECK(to_string(JobState::timed_out) == "timed_out");
}

TEST_CASE("every error kind has one word that reads back") {
  for (const ErrorKind kind :
       {ErrorKind::infrastructure, ErrorKind::configuration, ErrorKind::analysis}) {
    CHECK(error_kind_from(to_string(kind)) == kind);
  }
  CHECK(to_string(ErrorKind::infrastructure) == "infrastructure");
}

TEST_CASE("other words are no state and no kind") {
  CHECK_FALSE(job_state_from("").has_value());
  CHECK_FALSE(job_state_from("Done").has_value());
  CHECK_FALSE(job_state_from("done ").has_value());
  CHECK_FALSE(error_kind_from("").has_value());
  CHECK_FALSE(error_kind_from("other").has_value());
}

TEST_CASE("done, failed, cancelled and timed_out are final") {
  CHECK_FALSE(is_final(JobState::queued));
  CHECK_FALSE(is_final(JobState::assigned));
  CHECK_FALSE(is_final(JobState::running));
  CHECK_FALSE(is_final(JobState::uploading));
  CHECK_FALSE(is_final(JobState::analysing));
  CHECK(is_final(JobState::done));
  CHECK(is_final(JobState::failed));
  CHECK(is_final(JobState::cancelled));
  CHECK(is_final(JobState::timed_out));
}
