#pragma once
// `stepscope request` and `stepscope check-config`: what a comment would mean, and what is wrong
// with a configuration, without a daemon.

#include <filesystem>
#include <iosfwd>
#include <string>

namespace stepscope::server {

struct RequestCommand {
  std::filesystem::path catalog_file;  // empty: the built-in rows only
  std::string mention = "stepscope";
};

// Lines `context<TAB>text` on `in`, both JSON; prints one line of canonical JSON each. Exit 0, or 2
// at the first line that can not be read.
int run_request(const RequestCommand& command, std::istream& in, std::ostream& out,
                std::ostream& err);

// Everything that `serve` would refuse, a line each. Exit 0 or 2.
int run_check_config(const std::filesystem::path& file, std::ostream& out, std::ostream& err);

}  // namespace stepscope::server
