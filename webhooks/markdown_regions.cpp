#include "webhooks/markdown_regions.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace stepscope::webhooks {
namespace {

constexpr std::string_view kCommentOpen = "<!--";
constexpr std::string_view kCommentClose = "-->";

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;       // without the line end
  int indent = 0;            // columns; a tab goes to the next multiple of 4
  std::string_view content;  // behind the indent
};

Line line_at(std::string_view text, std::size_t begin) {
  Line line;
  line.begin = begin;
  line.end = std::min(text.find('\n', begin), text.size());
  std::size_t at = begin;
  for (; at < line.end && (text[at] == ' ' || text[at] == '\t'); ++at) {
    line.indent = text[at] == '\t' ? (line.indent / 4 + 1) * 4 : line.indent + 1;
  }
  line.content = text.substr(at, line.end - at);
  return line;
}

bool starts_list_item(std::string_view content) {
  if (content.starts_with("- ") || content.starts_with("* ") || content.starts_with("+ "))
    return true;
  const std::size_t digits = content.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && digits <= 9 &&
         (content.substr(digits).starts_with(". ") || content.substr(digits).starts_with(") "));
}

// The backticks or tildes that open or close a fence; 0 when the line does neither.
std::size_t fence_length(std::string_view content, char fence) {
  const std::size_t length = std::min(content.find_first_not_of(fence), content.size());
  return length >= 3 ? length : 0;
}

// Goes through the lines once; what is live after that is searched for spans and comments.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text), regions_(text.size(), Region::live) {}

  std::vector<Region> run() {
    std::size_t begin = 0;
    while (begin < text_.size()) {
      const Line line = line_at(text_, begin);
      begin = take_line(line);
    }
    end_paragraph(text_.size());
    return std::move(regions_);
  }

 private:
  void mark(std::size_t begin, std::size_t end, Region region) {
    for (std::size_t i = begin; i < std::min(end, text_.size()); ++i) regions_[i] = region;
  }

  // Returns where the next line begins.
  std::size_t take_line(const Line& line) {
    const bool blank = line.content.empty();
    if (fence_ != 0) {
      mark(line.begin, line.end, Region::code_block);
      const std::size_t length = fence_length(line.content, fence_);
      const bool alone = line.content.find_first_not_of(fence_) == std::string_view::npos ||
                         line.content.find_first_not_of(" \t", length) == std::string_view::npos;
      if (length >= fence_length_ && alone) fence_ = 0;
    } else if (blank) {
      end_paragraph(line.begin);
      after_blank_ = true;
      return line.end + 1;
    } else if (line.indent >= 4 && after_blank_ && !in_list_) {
      mark(line.begin, line.end, Region::code_block);
      return line.end + 1;  // after_blank_ stays: the block goes on
    } else if (line.content.front() == '>') {
      end_paragraph(line.begin);
      mark(line.begin, line.end, Region::quoted);
    } else if (opens_fence(line)) {
      end_paragraph(line.begin);
      mark(line.begin, line.end, Region::code_block);
    } else if (line.content.starts_with(kCommentOpen) && paragraph_ == kNoParagraph) {
      return take_comment_block(line);
    } else {
      take_text(line);
    }
    after_blank_ = false;
    return line.end + 1;
  }

  bool opens_fence(const Line& line) {
    for (const char fence : {'`', '~'}) {
      const std::size_t length = fence_length(line.content, fence);
      if (length == 0) continue;
      // A backtick behind the fence makes the line a code span.
      if (fence == '`' && line.content.find('`', length) != std::string_view::npos) continue;
      fence_ = fence;
      fence_length_ = length;
      return true;
    }
    return false;
  }

  void take_text(const Line& line) {
    if (paragraph_ == kNoParagraph) paragraph_ = line.begin;
    if (starts_list_item(line.content)) {
      in_list_ = true;
    } else if (line.indent == 0 && after_blank_) {
      in_list_ = false;
    }
  }

  // A comment that begins a line lasts to its end mark, over blank lines too, or to the end.
  std::size_t take_comment_block(const Line& line) {
    const std::size_t open = static_cast<std::size_t>(line.content.data() - text_.data());
    const std::size_t close = text_.find(kCommentClose, open + kCommentOpen.size());
    const std::size_t end =
        close == std::string_view::npos ? text_.size() : close + kCommentClose.size();
    mark(line.begin, end, Region::html_comment);
    after_blank_ = false;
    const std::size_t rest_end = std::min(text_.find('\n', end), text_.size());
    if (rest_end > end) paragraph_ = end;
    return rest_end + 1;
  }

  void end_paragraph(std::size_t end) {
    if (paragraph_ == kNoParagraph) return;
    mark_spans(paragraph_, end);
    paragraph_ = kNoParagraph;
  }

  // Code spans and comments inside one paragraph, whichever opens first.
  void mark_spans(std::size_t begin, std::size_t end) {
    // next_[i]: where the next run of as many backticks as the one at i begins.
    std::map<std::size_t, std::size_t> next_of_length;
    std::vector<std::pair<std::size_t, std::size_t>> next;  // run -> its partner, from the back
    for (std::size_t i = end; i > begin;) {
      if (text_[i - 1] != '`') {
        --i;
        continue;
      }
      std::size_t first = i - 1;
      while (first > begin && text_[first - 1] == '`') --first;
      const auto partner = next_of_length.find(i - first);
      next.emplace_back(first, partner == next_of_length.end() ? 0 : partner->second);
      next_of_length[i - first] = first;
      i = first;
    }
    std::size_t close_before = end;  // no comment end mark at or behind this place
    for (std::size_t i = begin; i < end;) {
      while (!next.empty() && next.back().first < i) next.pop_back();
      if (text_[i] == '`' && !next.empty()) {
        i = span_end(i, next.back().second);
      } else if (i < close_before && text_.substr(i, end - i).starts_with(kCommentOpen)) {
        const std::size_t close = text_.substr(0, end).find(kCommentClose, i + kCommentOpen.size());
        if (close == std::string_view::npos) {
          close_before = i;
          ++i;
          continue;
        }
        mark(i, close + kCommentClose.size(), Region::html_comment);
        i = close + kCommentClose.size();
      } else {
        ++i;
      }
    }
  }

  // Marks the span that the backticks at `open` begin; without a partner they are plain text.
  std::size_t span_end(std::size_t open, std::size_t partner) {
    std::size_t length = 0;
    while (open + length < text_.size() && text_[open + length] == '`') ++length;
    if (partner == 0) return open + length;
    mark(open, partner + length, Region::code_span);
    return partner + length;
  }

  static constexpr std::size_t kNoParagraph = static_cast<std::size_t>(-1);
  std::string_view text_;
  std::vector<Region> regions_;
  std::size_t paragraph_ = kNoParagraph;
  char fence_ = 0;  // the open fence's character, or 0
  std::size_t fence_length_ = 0;
  bool after_blank_ = true;
  bool in_list_ = false;
};

}  // namespace

std::string with_plain_line_ends(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r') {
      plain += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else {
      const bool control = (c >= 0 && c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
      plain += control ? ' ' : c;
    }
  }
  return plain;
}

std::vector<Region> markdown_regions(std::string_view text) { return Scan(text).run(); }

}  // namespace stepscope::webhooks
