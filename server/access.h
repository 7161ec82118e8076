#pragma once
// Who may read and who may submit: one API token, public reading by setting, and signed links that
// open one run. Pure decisions over a request; holds no state but the settings.

#include <string>

#include "db/run.h"
#include "runtime/http_message.h"

namespace stepscope::server {

class Access {
 public:
  // `share_key` signs links; empty: no signed links.
  Access(std::string api_token, bool public_read, std::string share_key);

  bool may_submit(const runtime::HttpRequest& request) const;
  bool may_read(const runtime::HttpRequest& request) const;
  // As may_read, or by the link's signature (query value "sig").
  bool may_read_run(const runtime::HttpRequest& request, db::JobId id) const;

  // "?sig=..." for links to a run that work without a token; empty when they need none or can not.
  std::string link_suffix(db::JobId id) const;
  bool can_submit() const { return !api_token_.empty(); }

 private:
  std::string signature(db::JobId id) const;

  std::string api_token_;
  bool public_read_;
  std::string share_key_;
};

}  // namespace stepscope::server
