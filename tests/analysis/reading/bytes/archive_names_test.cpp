#include "analysis/reading/bytes/archive_names.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace stepscope::analysis;
using namespace std::string_view_literals;

TEST_CASE("names that lead out of a folder are refused, with the reason") {
  CHECK(entry_name_fault("") == "an empty name");
  CHECK(entry_name_fault("/etc/passwd") == "an absolute path as its name");
  CHECK(entry_name_fault("C:/trace.json") == "a drive in its name");
  CHECK(entry_name_fault("c:trace.json") == "a drive in its name");
  CHECK(entry_name_fault("a\\b.json") == "a backslash in its name");
  CHECK(entry_name_fault("a\0b.json"sv) == "a zero byte in its name");
  CHECK(entry_name_fault(std::string(4097, 'a')) == "a name of more than 4096 bytes");
  for (const char* name : {"..", "../a.json", "a/../b.json", "a/.."}) {
    CHECK(entry_name_fault(name) == "a name that climbs out of its folder");
  }
}

TEST_CASE("names that only look odd are fine") {
  for (const std::string& name :
       {std::string("a.json"), std::string("a/b/c.json"), std::string("..a/b..json"),
        std::string("a/.../b"), std::string("10:30.json"), std::string(4096, 'a')}) {
    CHECK(entry_name_fault(name).empty());
  }
}

TEST_CASE("what is no trace by its name") {
  for (const char* name : {"a/notes.txt", "A.LOG", "m.pickle", "._x.json", "a/.DS_Store",
                           "__MACOSX/a.json", "x/__MACOSX/a.json", "memory.html", "k.csv"}) {
    CHECK(is_no_trace_name(name));
  }
  for (const char* name : {"a.json", "a.json.gz", "a.pt.trace.json.gz", "trace", "a.sqlite",
                           "x.rpd", "server_args.json", "a.txt/b.json"}) {
    CHECK_FALSE(is_no_trace_name(name));
  }
}

TEST_CASE("the base name") {
  CHECK(entry_base_name("a/b/c.json") == "c.json");
  CHECK(entry_base_name("c.json") == "c.json");
  CHECK(entry_base_name("a/").empty());
}

TEST_CASE("names in messages stay on one line and are not endless") {
  CHECK(shown_entry_name("a\nb\x1B\x7F\0"sv) == "a\\x0Ab\\x1B\\x7F\\x00");
  CHECK(shown_entry_name(std::string(120, 'a')) == std::string(120, 'a'));
  CHECK(shown_entry_name(std::string(121, 'a')) == std::string(120, 'a') + "...");
  // The two bytes of an umlaut stand at 119 and 120: half of it would be no UTF-8.
  CHECK(shown_entry_name(std::string(119, 'a') + "\xC3\xA4") == std::string(119, 'a') + "...");
}

TEST_CASE("order: as people count") {
  std::vector<std::string> names = {"TP-10",     "b/TP-2", "TP-2", "TP-02",
                                    "TP-1.json", "TP-1",   "",     "TP"};
  std::ranges::sort(names, natural_less);
  CHECK(names == std::vector<std::string>{"", "TP", "TP-1", "TP-1.json", "TP-02", "TP-2", "TP-10",
                                          "b/TP-2"});
  CHECK_FALSE(natural_less("a", "a"));
  CHECK(natural_less("9", "00000000000000000000000000000010"));
}
