#pragma once
// `stepscope serve`: builds every part of the daemon from its configuration, connects them, runs
// until SIGTERM or SIGINT, and takes them down in order. The only place that knows all parts.

#include <iosfwd>

#include "server/config.h"

namespace stepscope::server {

// Blocks until the daemon has ended. 0 after a signal; 1 when it could not start (one line on
// `err`) or an essential part failed. Prints "stepscope listens on http://ADDRESS:PORT" on `out`
// once it does.
int serve(const Config& config, std::ostream& out, std::ostream& err);

}  // namespace stepscope::server
