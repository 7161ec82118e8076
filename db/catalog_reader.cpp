#include "db/catalog_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace stepscope::db {
namespace {

using Json = nlohmann::json;
using Pointer = nlohmann::json::json_pointer;

constexpr std::size_t kFaultsShown = 20;
constexpr std::size_t kWordMax = 100;
constexpr std::size_t kTextMax = 300;
constexpr int kLengthMax = 10'000'000;  // tokens of a sequence
constexpr int kDegreeMax = 4096;        // GPUs of one kind of parallelism
constexpr int kConcMax = 1'000'000;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Words reach argument lists and file names: plain letters, and never an option or a dot file.
bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kWordMax && is_lower_or_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) {
           return is_lower_or_digit(c) || c == '.' || c == '_' || c == '+' || c == '-';
         });
}

// Names of models and images: no blank, no control character, nothing that reads as an option.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kTextMax && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

// Plain http is for this machine alone.
bool is_loopback_url(std::string_view text) {
  if (!text.starts_with("http://")) return false;
  text.remove_prefix(7);
  for (const std::string_view host : {"127.0.0.1", "localhost", "[::1]"}) {
    const std::string_view after = text.substr(std::min(host.size(), text.size()), 1);
    if (text.starts_with(host) && (after == "/" || after == ":")) return true;
  }
  return false;
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// A value and where it stands.
struct Node {
  const Json* value = nullptr;
  Pointer at;

  // The member, with no value when it is absent or null.
  Node member(const std::string& name) const {
    Node node{nullptr, at / name};
    const auto found = value->find(name);
    if (found != value->end() && !found->is_null()) node.value = &*found;
    return node;
  }
  Node element(std::size_t index) const { return {&value->at(index), at / index}; }
  bool present() const { return value != nullptr; }
};

class Reader {
 public:
  Reader(const std::filesystem::path& file, std::span<const CatalogEntry> builtin);
  std::expected<CatalogFile, std::string> read(std::string_view text);

 private:
  void fault(const Pointer& at, std::string_view message);
  std::string faults_text() const;

  // Each names the fault and returns a harmless value when the node is not what it should be.
  std::string word(const Node& node, std::optional<std::string> absent = std::nullopt);
  std::string name(const Node& node, const std::string& absent);
  int number(const Node& node, int max, std::optional<int> absent = std::nullopt);
  bool flag(const Node& node);
  bool is_object(const Node& node);
  // The elements of an array with at least one; none after a fault.
  std::vector<Node> elements(const Node& node);

  void read_entry(const Node& node);
  void read_recipe(const Node& node, CatalogEntry& entry);
  std::string read_trace(const Node& node);
  Scenario read_scenario(const Node& node, bool& disaggregated);
  OperatingPoint read_point(const Node& node, bool& disaggregated);
  void check_identity(const CatalogEntry& entry, const Node& node);
  void read_aliases(const Node& node);
  void read_spellings(const std::string& field, const std::string& word, const Node& node);
  void read_display_names(const Node& node);

  using Identity = std::tuple<std::string, std::string, int, int>;

  const std::filesystem::path& file_;
  CatalogFile result_;
  std::map<Identity, std::string> identities_;  // -> where the first one stands
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> words_;
  std::vector<std::string> faults_;
  std::size_t fault_count_ = 0;
};

Reader::Reader(const std::filesystem::path& file, std::span<const CatalogEntry> builtin)
    : file_(file) {
  for (const std::string_view field : {"model", "hardware", "precision", "framework"}) {
    words_[std::string(field)];
  }
  for (const CatalogEntry& entry : builtin) {
    for (const Scenario& scenario : entry.scenarios) {
      identities_[{entry.key, entry.status, scenario.isl, scenario.osl}] = "a built-in entry";
    }
    words_["model"].insert(entry.model);
    words_["hardware"].insert(entry.hardware);
    words_["precision"].insert(entry.precision);
    words_["framework"].insert(entry.framework);
  }
}

void Reader::fault(const Pointer& at, std::string_view message) {
  ++fault_count_;
  if (faults_.size() == kFaultsShown) return;
  std::string line = fmt::format("{}: {}: {}", file_.string(), at.to_string(), message);
  for (char& c : line) {
    if (has_control_characters({&c, 1})) c = '?';  // a member's name can hold anything
  }
  faults_.push_back(std::move(line));
}

std::string Reader::faults_text() const {
  std::string text = fmt::format("{}", fmt::join(faults_, "\n"));
  if (fault_count_ > faults_.size()) {
    text += fmt::format("\n{}: and {} more", file_.string(), fault_count_ - faults_.size());
  }
  return text;
}

std::string Reader::word(const Node& node, std::optional<std::string> absent) {
  if (!node.present() && absent) return *absent;
  if (!node.present() || !node.value->is_string() ||
      !is_word(node.value->get_ref<const std::string&>())) {
    fault(node.at, "must be a word of a-z, 0-9, \".\", \"_\", \"+\", \"-\"");
    return {};
  }
  return node.value->get<std::string>();
}

std::string Reader::name(const Node& node, const std::string& absent) {
  if (!node.present()) return absent;
  if (!node.value->is_string() || !is_name(node.value->get_ref<const std::string&>())) {
    fault(node.at, fmt::format("must be a text of 1 to {} printable characters without blanks, "
                               "not beginning with \"-\"",
                               kTextMax));
    return {};
  }
  return node.value->get<std::string>();
}

int Reader::number(const Node& node, int max, std::optional<int> absent) {
  if (!node.present() && absent) return *absent;
  // A number above the range of int64 is an unsigned one and reads as negative here: refused.
  const std::int64_t value =
      node.present() && node.value->is_number_integer() ? node.value->get<std::int64_t>() : 0;
  if (value < 1 || value > max) {
    fault(node.at, fmt::format("must be a whole number from 1 to {}", max));
    return 1;
  }
  return static_cast<int>(value);
}

bool Reader::flag(const Node& node) {
  if (!node.present()) return false;
  if (!node.value->is_boolean()) {
    fault(node.at, "must be true or false");
    return false;
  }
  return node.value->get<bool>();
}

bool Reader::is_object(const Node& node) {
  if (node.present() && node.value->is_object()) return true;
  fault(node.at, "must be an object");
  return false;
}

std::vector<Node> Reader::elements(const Node& node) {
  if (!node.present() || !node.value->is_array() || node.value->empty()) {
    fault(node.at, "must be an array with at least one element");
    return {};
  }
  std::vector<Node> nodes;
  nodes.reserve(node.value->size());
  for (std::size_t index = 0; index < node.value->size(); ++index) {
    nodes.push_back(node.element(index));
  }
  return nodes;
}

OperatingPoint Reader::read_point(const Node& node, bool& disaggregated) {
  OperatingPoint point;
  if (!is_object(node)) return point;
  for (const Node& element : elements(node.member("conc"))) {
    point.conc.push_back(number(element, kConcMax));
  }
  point.spec = word(node.member("spec"), "none");
  if (node.member("prefill").present() || node.member("decode").present()) {
    disaggregated = true;
    return point;
  }
  point.tp = number(node.member("tp"), kDegreeMax, 1);
  point.ep = number(node.member("ep"), kDegreeMax, 1);
  point.dp_attn = flag(node.member("dp_attn"));
  return point;
}

Scenario Reader::read_scenario(const Node& node, bool& disaggregated) {
  Scenario scenario;
  if (!is_object(node)) return scenario;
  scenario.fixed_lengths = word(node.member("type"), "fixed") == "fixed";
  const std::optional<int> absent = scenario.fixed_lengths ? std::nullopt : std::optional<int>(0);
  scenario.isl = number(node.member("isl"), kLengthMax, absent);
  scenario.osl = number(node.member("osl"), kLengthMax, absent);
  for (const Node& row : elements(node.member("search_space"))) {
    scenario.points.push_back(read_point(row, disaggregated));
  }
  return scenario;
}

std::string Reader::read_trace(const Node& node) {
  if (!node.value->is_string() || node.value->get_ref<const std::string&>().empty() ||
      has_control_characters(node.value->get_ref<const std::string&>())) {
    fault(node.at, "must be a path or an https URL");
    return {};
  }
  const auto& source = node.value->get_ref<const std::string&>();
  if (source.starts_with("https://") || is_loopback_url(source)) return source;
  if (source.contains("://")) {
    fault(node.at, "must be a path or an https URL");
    return {};
  }
  return (std::filesystem::absolute(file_).parent_path() / source).lexically_normal().string();
}

void Reader::read_recipe(const Node& node, CatalogEntry& entry) {
  const Node recipe = node.member("recipe");
  const Node trace = node.member("trace");
  entry.recipe = word(recipe, entry.framework);
  const bool replay = entry.recipe == "replay";
  if (replay && !trace.present()) fault(trace.at, "is missing: the recipe is replay");
  if (!replay && trace.present()) fault(trace.at, "goes with the recipe \"replay\" only");
  if (replay && trace.present()) entry.trace_source = read_trace(trace);
}

void Reader::check_identity(const CatalogEntry& entry, const Node& node) {
  // Upstream repeats rows that can not be profiled; only among the others must a key be clear.
  if (entry.multinode) return;
  for (std::size_t index = 0; index < entry.scenarios.size(); ++index) {
    const Scenario& scenario = entry.scenarios[index];
    if (!scenario.fixed_lengths) continue;
    const Pointer at = node.at / "scenarios" / index;
    const auto [first, is_new] = identities_.try_emplace(
        Identity{entry.key, entry.status, scenario.isl, scenario.osl}, at.to_string());
    if (!is_new) {
      fault(at, fmt::format("has the key, status, isl and osl of {}", first->second));
    }
  }
}

void Reader::read_entry(const Node& node) {
  if (!is_object(node)) return;
  CatalogEntry entry;
  const std::size_t faults_before = fault_count_;
  entry.key = word(node.member("key"));
  entry.status = word(node.member("status"), "active");
  if (!entry.status.empty() && entry.status != "active" && entry.status != "retired") {
    fault(node.at / "status", "must be \"active\" or \"retired\"");
  }
  entry.model = word(node.member("model_prefix"));
  entry.model_name = name(node.member("model"), entry.model);
  entry.hardware = word(node.member("hardware"));
  entry.precision = word(node.member("precision"));
  entry.framework = word(node.member("framework"));
  entry.image = name(node.member("image"), "");
  read_recipe(node, entry);
  bool disaggregated = flag(node.member("disagg"));
  for (const Node& scenario : elements(node.member("scenarios"))) {
    entry.scenarios.push_back(read_scenario(scenario, disaggregated));
  }
  entry.multinode = flag(node.member("multinode")) || disaggregated;
  words_["model"].insert(entry.model);
  words_["hardware"].insert(entry.hardware);
  words_["precision"].insert(entry.precision);
  words_["framework"].insert(entry.framework);
  // Values in the place of faults would only raise more of them.
  if (fault_count_ == faults_before) check_identity(entry, node);
  result_.entries.push_back(std::move(entry));
}

void Reader::read_spellings(const std::string& field, const std::string& word, const Node& node) {
  for (const Node& element : elements(node)) {
    const std::string spelling =
        element.value->is_string() ? lower(element.value->get<std::string>()) : "";
    if (spelling.empty() || spelling.size() > kWordMax ||
        !std::ranges::all_of(spelling, [](char c) { return c >= ' ' && c <= '~'; })) {
      fault(element.at, fmt::format("must be a text of 1 to {} ASCII characters", kWordMax));
    } else if (spelling != word && words_[field].contains(spelling)) {
      fault(element.at, fmt::format("is a {} of the catalog itself", field));
    } else {
      const auto [first, is_new] = result_.aliases[field].try_emplace(spelling, word);
      if (!is_new && first->second != word) {
        fault(element.at, fmt::format("already stands for {}", first->second));
      }
    }
  }
}

void Reader::read_aliases(const Node& node) {
  if (!node.present() || !is_object(node)) return;
  for (const auto& [field, by_word] : node.value->items()) {
    const Node field_node{&by_word, node.at / field};
    if (!words_.contains(field)) {
      fault(field_node.at, "must be model, hardware, precision or framework");
    } else if (is_object(field_node)) {
      for (const auto& [word, spellings] : by_word.items()) {
        const Node word_node{&spellings, field_node.at / word};
        if (words_[field].contains(word)) {
          read_spellings(field, word, word_node);
        } else {
          fault(word_node.at, fmt::format("no entry has this {}", field));
        }
      }
    }
  }
}

void Reader::read_display_names(const Node& node) {
  if (!node.present() || !is_object(node)) return;
  for (const auto& [model, text] : node.value->items()) {
    const Pointer at = node.at / model;
    if (!text.is_string() || text.get_ref<const std::string&>().empty() ||
        text.get_ref<const std::string&>().size() > kWordMax ||
        has_control_characters(text.get_ref<const std::string&>())) {
      fault(at, fmt::format("must be a text of 1 to {} bytes", kWordMax));
    } else {
      result_.display_names[model] = text.get<std::string>();
    }
  }
}

std::expected<CatalogFile, std::string> Reader::read(std::string_view text) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::exception& error) {  // also numbers beyond a double
    const std::string_view what = error.what();
    const std::size_t code_end = what.find("] ");
    return std::unexpected(
        fmt::format("{}: {}", file_.string(),
                    code_end == std::string_view::npos ? what : what.substr(code_end + 2)));
  }
  const Node root{&document, Pointer()};
  if (!document.is_object()) {
    return std::unexpected(file_.string() + ": must be a JSON object");
  }
  const Node format = root.member("format");
  if (!format.present() || *format.value != 1) {
    return std::unexpected(file_.string() + ": /format: must be 1, the only form read here");
  }
  for (const Node& entry : elements(root.member("configs"))) read_entry(entry);
  read_aliases(root.member("aliases"));
  read_display_names(root.member("display_names"));
  if (fault_count_ > 0) return std::unexpected(faults_text());
  return std::move(result_);
}

}  // namespace

std::expected<CatalogFile, std::string> read_catalog(std::string_view text,
                                                     const std::filesystem::path& file,
                                                     std::span<const CatalogEntry> builtin) {
  return Reader(file, builtin).read(text);
}

}  // namespace stepscope::db
