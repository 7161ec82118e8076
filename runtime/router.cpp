#include "runtime/router.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace stepscope::runtime {

namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> segments;
  while (true) {
    const std::size_t slash = path.find('/');
    segments.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) {
      return segments;
    }
    path.remove_prefix(slash + 1);
  }
}

bool is_placeholder(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool serves(std::string_view route_method, std::string_view method) {
  return route_method == method || (route_method == "GET" && method == "HEAD");
}

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                    [](const std::string& wanted, const std::string& segment) {
                      return is_placeholder(wanted) ? !segment.empty() : wanted == segment;
                    });
}

// A literal segment is more exact than a placeholder, the first difference decides: /runs/latest
// before /runs/{id}, in whichever order they were added.
bool more_exact(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](const std::string& x, const std::string& y) {
                                        return !is_placeholder(x) && is_placeholder(y);
                                      });
}

bool same_shape(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const std::string& x, const std::string& y) {
                      return x == y || (is_placeholder(x) && is_placeholder(y));
                    });
}

// The segments decoded, or nothing when one is malformed or hides a NUL, at which file names end.
std::optional<std::vector<std::string>> decoded_segments(std::string_view path) {
  std::vector<std::string> segments = split(path);
  for (std::string& segment : segments) {
    std::optional<std::string> decoded = percent_decode(segment);
    if (!decoded || decoded->contains('\0')) {
      return std::nullopt;
    }
    segment = std::move(*decoded);
  }
  return segments;
}

std::string joined(const std::set<std::string>& methods) {
  std::string text;
  for (const std::string& method : methods) {
    text += text.empty() ? "" : ", ";
    text += method;
  }
  return text;
}

}  // namespace

void Router::add(std::string method, const std::string& path_template, Handler handler,
                 RouteLimits limits) {
  Route route{std::move(method), split(path_template), std::move(handler), limits};
  for (const Route& other : routes_) {
    if (other.method == route.method && same_shape(other.segments, route.segments)) {
      throw std::logic_error("two routes for " + route.method + " " + path_template);
    }
  }
  routes_.push_back(std::move(route));
}

Router::Match Router::match(std::string_view method, std::string_view path) const {
  Match match;
  const std::optional<std::vector<std::string>> segments = decoded_segments(path);
  if (!segments) {
    return match;
  }
  const Route* best = nullptr;
  std::set<std::string> allowed;
  for (const Route& route : routes_) {
    if (!fits(route.segments, *segments)) {
      continue;
    }
    allowed.insert(route.method);
    if (serves(route.method, method) &&
        (best == nullptr || more_exact(route.segments, best->segments))) {
      best = &route;
    }
  }
  if (best == nullptr) {
    if (allowed.contains("GET")) {
      allowed.insert("HEAD");
    }
    match.status = allowed.empty() ? 404 : 405;
    match.allow = joined(allowed);
    return match;
  }
  match.status = 200;
  match.handler = &best->handler;
  match.limits = best->limits;
  for (std::size_t i = 0; i < segments->size(); ++i) {
    const std::string& name = best->segments[i];
    if (is_placeholder(name)) {
      match.path_values[name.substr(1, name.size() - 2)] = (*segments)[i];
    }
  }
  return match;
}

}  // namespace stepscope::runtime
