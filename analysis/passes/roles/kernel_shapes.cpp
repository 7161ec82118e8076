#include "analysis/passes/roles/kernel_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/passes/accounting/row_index.h"

namespace stepscope::analysis {
namespace {

using Sizes = std::vector<std::int64_t>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
}

// The number at the start of `text`, which it is removed from.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// "[4, 7168]"; nothing for another text.
std::optional<Sizes> take_list(std::string_view& text) {
  if (!take(text, "[")) return {};
  Sizes sizes;
  if (take(text, "]")) return sizes;
  do {
    const auto size = take_number(text);
    if (!size || *size < 0) return {};
    sizes.push_back(*size);
  } while (take(text, ", "));
  if (!take(text, "]")) return {};
  return sizes;
}

// "[[4, 7168], [7168, 2112], []]"; nothing for lists of another depth.
std::optional<std::vector<Sizes>> lists_of(std::string_view dims) {
  std::vector<Sizes> lists;
  if (!take(dims, "[")) return {};
  do {
    auto list = take_list(dims);
    if (!list) return {};
    lists.push_back(*std::move(list));
  } while (take(dims, ", "));
  if (dims != "]") return {};
  return lists;
}

std::string product_text(std::int64_t m, std::int64_t n, std::int64_t k) {
  return fmt::format("M {}, N {}, K {}", m, n, k);
}

// [M, K] x [K, N]; also with a batch before both.
std::string plain_product(std::span<const Sizes> lists, std::size_t at) {
  if (lists.size() < at + 2) return {};
  const Sizes& a = lists[at];
  const Sizes& b = lists[at + 1];
  if (a.size() == 2 && b.size() == 2 && a[1] == b[0]) return product_text(a[0], b[1], a[1]);
  if (a.size() == 3 && b.size() == 3 && a[0] == b[0] && a[2] == b[1]) {
    return fmt::format("B {}, {}", a[0], product_text(a[1], b[2], a[2]));
  }
  return {};
}

// All but the last size as one; nothing when that does not fit.
std::optional<std::int64_t> rows_of(const Sizes& sizes) {
  std::int64_t rows = 1;
  for (const std::int64_t size : std::span(sizes).first(sizes.size() - 1)) {
    if (__builtin_mul_overflow(rows, size, &rows)) return {};
  }
  return rows;
}

// [.., K] x [N, K] with `transposed`, else [.., K] x [K, N].
std::string rows_product(std::span<const Sizes> lists, bool transposed) {
  if (lists.size() < 2 || lists[0].empty() || lists[1].size() != 2) return {};
  const Sizes& b = lists[1];
  const auto m = rows_of(lists[0]);
  const std::int64_t k = lists[0].back();
  if (!m || k != (transposed ? b[1] : b[0])) return {};
  return product_text(*m, transposed ? b[0] : b[1], k);
}

std::string known_layout(std::string_view op, std::span<const Sizes> lists) {
  if (!take(op, "aten::")) return {};
  if (op == "addmm" || op == "baddbmm") return plain_product(lists, 1);
  if (op == "linear") return rows_product(lists, true);
  if (op == "mm" || op == "bmm" || op == "_scaled_mm" || op == "_int_mm") {
    return plain_product(lists, 0);
  }
  if (op != "matmul") return {};
  std::string text = plain_product(lists, 0);
  return text.empty() ? rows_product(lists, false) : text;
}

// A tile edge of 1 to 7 is a cluster, a stage or a warp layout.
bool is_tile(std::span<const std::int64_t> edges) {
  if (edges.size() < 2) return false;
  return std::ranges::all_of(edges, [](std::int64_t edge) { return edge >= 8 && edge <= 2048; }) &&
         edges[0] <= 1024 && edges[1] <= 1024;
}

std::string tile_text(std::span<const std::int64_t> edges) {
  return is_tile(edges) ? fmt::format("tile {}", fmt::join(edges, "x")) : std::string();
}

// "64x32x256" at the start of `text`, at most three numbers, removed from it.
Sizes take_edges(std::string_view& text) {
  Sizes edges;
  while (!text.empty() && is_digit(text.front())) {
    const auto edge = take_number(text);
    if (!edge) return {};
    if (edges.size() < 3) edges.push_back(*edge);
    if (text.size() < 2 || text[0] != 'x' || !is_digit(text[1])) break;
    text.remove_prefix(1);
  }
  return edges;
}

// Behind a word that libraries write before their tile: Tensile, xmma, trtllm-gen.
std::string tile_behind_word(std::string_view name) {
  for (const std::string_view word : {"_MT", "tilesize", "_t"}) {
    for (std::size_t at = name.find(word); at != std::string_view::npos;
         at = name.find(word, at + 1)) {
      std::string_view rest = name.substr(at + word.size());
      const std::string tile = tile_text(take_edges(rest));
      if (!tile.empty()) return tile;
    }
  }
  return {};
}

// The first group of numbers that is a word of its own: nvjet, cuBLAS, CUTLASS 2, Triton, aiter.
std::string tile_as_word(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at]) || (at > 0 && is_word(name[at - 1]))) continue;
    std::string_view rest = name.substr(at);
    const Sizes edges = take_edges(rest);
    const bool ends = rest.empty() || !is_word(rest.front());
    const std::string tile = ends ? tile_text(edges) : std::string();
    if (!tile.empty()) return tile;
  }
  return {};
}

// The first shape of three static sizes: CUTLASS 3 writes its tile there.
std::string tile_of_tuple(std::string_view name) {
  constexpr std::string_view kTuple = "tuple<cute::C<";
  for (std::size_t at = name.find(kTuple); at != std::string_view::npos;
       at = name.find(kTuple, at + 1)) {
    std::string_view rest = name.substr(at + kTuple.size());
    Sizes edges;
    while (const auto edge = take_number(rest)) {
      edges.push_back(*edge);
      if (!take(rest, ">, cute::C<")) break;
    }
    if (edges.size() == 3 && is_tile(edges)) return tile_text(edges);
  }
  return {};
}

std::string tile_of_blocks(std::string_view name) {
  Sizes edges;
  for (const std::string_view word : {"BLOCK_SIZE_M_", "BLOCK_SIZE_N_", "BLOCK_SIZE_K_"}) {
    const std::size_t at = name.find(word);
    if (at == std::string_view::npos) return {};
    std::string_view rest = name.substr(at + word.size());
    edges.push_back(take_number(rest).value_or(0));
  }
  return tile_text(edges);
}

enum class Family : std::uint8_t { other, gemm, attention };

Family family_of(std::string_view category) {
  if (category.starts_with("gemm-")) return Family::gemm;
  return category.starts_with("attention-") ? Family::attention : Family::other;
}

Family family_of_operator(std::string_view op) {
  const bool attention =
      op.find("attention") != std::string_view::npos || op.find("attn") != std::string_view::npos;
  return attention ? Family::attention : Family::gemm;
}

using OpRange = std::span<const OpShape>;

// The operator that launched an event, when its sizes are known and it is of the kernel's family.
const OpShape* operator_of(const StepScene& scene, OpRange of_scope, EventIndex event,
                           Family family) {
  const DeviceEvent& found = scene.view.event(event);
  // Old profilers wrote the correlation there, which is no link; a graph's nodes have the id of
  // what replayed the graph.
  if (found.external_id == 0 || found.correlation == std::int64_t{found.external_id} ||
      scene.links.is_graph_node(event)) {
    return nullptr;
  }
  const auto ops = std::ranges::equal_range(of_scope, found.external_id, {}, &OpShape::external_id);
  if (ops.empty() || ops.front().dims != ops.back().dims || ops.front().op != ops.back().op) {
    return nullptr;
  }
  const std::string& op = scene.view.trace.names[ops.front().op];
  return family_of_operator(op) == family ? &ops.front() : nullptr;
}

// What the shape of a call is read from; equal calls share one.
struct Evidence {
  enum class Kind : std::uint8_t { operator_dims, name, grid };
  Kind kind = Kind::grid;
  std::uint32_t first = 0;   // operator, or arguments
  std::uint32_t second = 0;  // sizes
  auto operator<=>(const Evidence&) const = default;
};

struct RowCalls {
  Family family = Family::other;
  StreamIndex stream = 0;
  NameId name = 0;
  std::string tile;
  std::map<Evidence, std::int64_t> calls;
};

KernelShape shape_of(const Trace& trace, const RowCalls& row, const Evidence& from) {
  switch (from.kind) {
    case Evidence::Kind::operator_dims:
      return {shape_of_operator(trace.names[from.first], trace.names[from.second]), "Input Dims"};
    case Evidence::Kind::name:
      return {row.tile, "tile in the name"};
    default:
      return {
          shape_of_grid(trace.kernel_args[from.first].grid, trace.kernel_args[from.first].block),
          "grid"};
  }
}

std::vector<KernelShape> shapes_of(const Trace& trace, const RowCalls& row) {
  std::map<std::pair<std::string, std::string>, std::int64_t> calls_of;
  for (const auto& [from, calls] : row.calls) {
    KernelShape shape = shape_of(trace, row, from);
    if (!shape.text.empty()) calls_of[{std::move(shape.text), std::move(shape.source)}] += calls;
  }
  std::vector<KernelShape> shapes;
  shapes.reserve(calls_of.size());
  for (const auto& [key, calls] : calls_of) shapes.push_back({key.first, key.second, calls});
  std::ranges::sort(shapes, {}, [](const KernelShape& shape) {
    return std::tuple(-shape.calls, std::string_view(shape.text), std::string_view(shape.source));
  });
  if (shapes.size() > kShapesShown) shapes.resize(kShapesShown);
  return shapes;
}

// What the calls of each kernel of a stream tell of their sizes, if it is a GEMM or attention.
std::vector<RowCalls> read_calls(const StepScene& scene) {
  RowIndex index;
  const Trace& trace = scene.view.trace;
  const auto scope =
      std::ranges::equal_range(trace.op_shapes, scene.device.scope, {}, &OpShape::scope);
  const OpRange ops(scope.begin(), scope.end());
  std::vector<RowCalls> rows;
  for (const EventIndex event : scene.events) {
    const DeviceEvent& found = scene.view.event(event);
    const std::uint32_t at = index.of(scene.view.stream(event), found.name);
    if (at == rows.size()) {
      RowCalls& row = rows.emplace_back();
      row.family = family_of(scene.view.category(event).category);
      row.stream = scene.view.stream(event);
      row.name = found.name;
      if (row.family == Family::gemm) row.tile = tile_in_name(trace.names[found.name]);
    }
    RowCalls& row = rows[at];
    if (row.family == Family::other) continue;
    Evidence from{Evidence::Kind::grid, found.args, 0};
    if (const OpShape* op = operator_of(scene, ops, event, row.family)) {
      from = {Evidence::Kind::operator_dims, op->op, op->dims};
    } else if (!row.tile.empty()) {
      from = {Evidence::Kind::name, 0, 0};
    }
    ++row.calls[from];
  }
  return rows;
}

}  // namespace

std::string tile_in_name(std::string_view name) {
  for (const auto tile : {tile_behind_word, tile_as_word, tile_of_blocks, tile_of_tuple}) {
    if (std::string text = tile(name); !text.empty()) return text;
  }
  return {};
}

std::string shape_of_operator(std::string_view op, std::string_view dims) {
  const auto lists = lists_of(dims);
  if (!lists) return std::string(dims);
  std::string text = known_layout(op, *lists);
  if (!text.empty()) return text;
  std::span<const Sizes> tensors(*lists);  // other arguments are empty lists, most of them behind
  while (!tensors.empty() && tensors.back().empty()) tensors = tensors.first(tensors.size() - 1);
  return tensors.empty() ? std::string() : fmt::format("{}", tensors);
}

std::string shape_of_grid(std::string_view grid, std::string_view block) {
  const auto blocks = take_list(grid);
  if (!blocks || blocks->empty() || std::ranges::find(*blocks, 0) != blocks->end()) return {};
  std::string text = fmt::format("grid {}", fmt::join(*blocks, "x"));
  auto threads = take_list(block);
  if (!threads || threads->empty()) return text;
  while (threads->size() > 1 && threads->back() == 1) threads->pop_back();
  return fmt::format("{}, block {}", text, fmt::join(*threads, "x"));
}

void add_kernel_shapes(const StepScene& scene, std::vector<KernelRow>& kernels) {
  const Trace& trace = scene.view.trace;
  std::map<std::pair<std::string_view, std::string_view>, KernelRow*> row_of;
  for (KernelRow& row : kernels) row_of[{row.stream, row.name}] = &row;
  for (const RowCalls& row : read_calls(scene)) {
    if (row.calls.empty()) continue;
    const auto found = row_of.find({scene.device.streams[row.stream], trace.names[row.name]});
    if (found != row_of.end()) found->second->shapes = shapes_of(trace, row);
  }
}

}  // namespace stepscope::analysis
