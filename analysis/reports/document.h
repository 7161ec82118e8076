#pragma once
// A report as headings, paragraphs, lists, tables and fixed text without a format: built once,
// written as Markdown and as HTML. Owns its strings; they are raw text, escaping is the writers'
// business (breakdown_markdown.cpp, breakdown_html.cpp).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stepscope::analysis {

struct Span {
  enum class Kind : std::uint8_t { text, strong, code };
  Kind kind = Kind::text;
  std::string text;
};

// One line of text: a paragraph, a list item, a cell. Strong text begins and ends with a letter or
// digit (else Markdown does not see it as strong).
struct Line {
  std::vector<Span> spans;

  Line& text(std::string value) { return add(Span::Kind::text, std::move(value)); }
  Line& strong(std::string value) { return add(Span::Kind::strong, std::move(value)); }
  Line& code(std::string value) { return add(Span::Kind::code, std::move(value)); }

 private:
  Line& add(Span::Kind kind, std::string value) {
    spans.push_back({kind, std::move(value)});
    return *this;
  }
};

inline Line plain(std::string value) { return Line().text(std::move(value)); }
inline Line strong(std::string value) { return Line().strong(std::move(value)); }
inline Line code(std::string value) { return Line().code(std::move(value)); }

struct Column {
  std::string title;
  bool number = false;  // right-aligned
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Line>> rows;  // each as long as columns
};

struct List {
  std::vector<Line> items;
  bool numbered = false;
};

// One line that stands out from the text around it.
struct Quote {
  Line line;
};

// Lines whose columns are aligned by blanks, in a font of fixed width.
struct FixedText {
  std::vector<std::string> lines;
};

using Block = std::variant<Line, List, Table, Quote, FixedText>;

// A part that is folded away unless `open`. When a text is too long, the lowest `keep` goes first.
struct Section {
  std::string title;  // our own words, no foreign text: it stands inside an HTML block
  int keep = 0;
  bool open = false;
  std::vector<Block> blocks;
};

struct Document {
  std::string first_line;  // "PARTIAL: ..." or empty
  Line heading;
  std::vector<Block> head;
  std::vector<Section> sections;
};

// Markdown as GitHub reads it; ends with a newline.
std::string to_markdown(const Document& document);

// The same in at most `bytes_max` bytes: sections are replaced by one line each (with `more_url`,
// when it is an http or https address), the least important first; then the text is cut.
std::string to_markdown(const Document& document, std::size_t bytes_max, std::string_view more_url);

// A fragment: h2, p, ul, ol, table, blockquote, pre, details. Number cells have the class "number".
std::string to_html(const Document& document);

}  // namespace stepscope::analysis
