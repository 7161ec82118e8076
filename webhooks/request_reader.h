#pragma once
// From the text of a comment to the command in it: the whole grammar, as a pure function of text
// and catalog. Words outside the grammar have no effect. Time is linear in the text.

#include <string>
#include <string_view>

#include "db/catalog.h"
#include "webhooks/command.h"
#include "webhooks/words.h"

namespace stepscope::webhooks {

class RequestReader {
 public:
  // `catalog` must outlive this. `mention` is our name without the @.
  RequestReader(const db::Catalog& catalog, std::string mention);

  // A whole comment; Verb::ignore with the reason when it does not speak to us.
  Command read_comment(std::string_view comment) const;
  // A text that is known to be for us (REST API, command line); a mention in it may stand or not.
  Command read_text(std::string_view text) const;

  const db::Catalog& catalog() const { return catalog_; }
  const std::string& mention() const { return mention_; }

 private:
  const db::Catalog& catalog_;
  std::string mention_;
  Vocabulary vocabulary_;
};

}  // namespace stepscope::webhooks
