#include "tests/support/zip_maker.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <stdexcept>

#include "tests/support/trace_text.h"

namespace stepscope::tests {

namespace {

constexpr std::uint16_t kSizesFollow = 8;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (; bytes > 0; --bytes, value >>= 8U) out.push_back(static_cast<char>(value & 0xFFU));
}

// What the local header and the directory have in common, from the flags on.
std::string fields_of(const ZipEntryText& entry, bool sizes) {
  std::string out;
  put(out, entry.flags, 2);
  put(out, entry.method, 2);
  put(out, 0, 4);  // time and date
  put(out, sizes ? entry.crc.value_or(zip_checksum(entry.bytes)) : 0, 4);
  put(out, sizes ? entry.bytes.size() : 0, 4);
  put(out, sizes ? entry.unpacked_size.value_or(static_cast<std::uint32_t>(entry.bytes.size())) : 0,
      4);
  put(out, entry.name.size(), 2);
  put(out, 0, 2);  // extra fields
  return out;
}

}  // namespace

std::uint32_t zip_checksum(std::string_view text) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

std::string ZipText::directory_entry(const ZipEntryText& entry, std::uint32_t offset) const {
  std::string out("PK\x01\x02");
  put(out, 20, 2);  // made by
  put(out, 20, 2);  // needed
  out += fields_of(entry, true);
  put(out, 0, 2 + 2 + 2 + 4);  // comment, disk, attributes
  put(out, offset, 4);
  return out + entry.name;
}

ZipText& ZipText::add(ZipEntryText entry) {
  const bool follow = (entry.flags & kSizesFollow) != 0;
  directory_ += directory_entry(entry, static_cast<std::uint32_t>(data_.size()));
  ++count_;
  data_ += "PK\x03\x04";
  put(data_, 20, 2);
  data_ += fields_of(entry, !follow) + entry.name + entry.bytes;
  if (follow) {
    put(data_, entry.crc.value_or(zip_checksum(entry.bytes)), 4);
    put(data_, entry.bytes.size(), 4);
    put(data_, entry.unpacked_size.value_or(static_cast<std::uint32_t>(entry.bytes.size())), 4);
  }
  if (!first_) first_ = std::move(entry);
  return *this;
}

ZipText& ZipText::again(std::string_view name) {
  if (!first_) throw std::logic_error("there is no first entry");
  ZipEntryText entry = *first_;
  entry.name = name;
  directory_ += directory_entry(entry, 0);
  ++count_;
  return *this;
}

std::string ZipText::archive() const {
  std::string out = data_ + directory_ + "PK\x05\x06";
  put(out, 0, 4);  // disks
  put(out, count_, 2);
  put(out, count_, 2);
  put(out, directory_.size(), 4);
  put(out, data_.size(), 4);
  put(out, 0, 2);  // comment
  return out;
}

std::string deflate(std::string_view text) {
  constexpr std::size_t kHeader = 10;
  constexpr std::size_t kTrailer = 8;
  const std::string packed = gzip(text);
  return packed.substr(kHeader, packed.size() - kHeader - kTrailer);
}

}  // namespace stepscope::tests
