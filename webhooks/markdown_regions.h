#pragma once
// Which bytes of a Markdown text are code, quotes or HTML comments, as far as it matters for
// deciding whether something was said or shown. Not a Markdown parser: lists and links are plain
// text to it.

#include <string>
#include <string_view>
#include <vector>

namespace stepscope::webhooks {

enum class Region : char { live, code_span, code_block, quoted, html_comment };

// LF line ends; other control characters than LF and tab become blanks.
std::string with_plain_line_ends(std::string_view text);

// One entry a byte of `text`, which has LF line ends.
std::vector<Region> markdown_regions(std::string_view text);

}  // namespace stepscope::webhooks
