#pragma once
#include <graft/config.hpp>
#ifdef _WIN32
#include <graft/graph/detail/platform.hpp>

#include <cerrno>
#include <limits>
#include <random>

#include <fcntl.h>
#include <io.h>
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <graft/graph/detail/paths.hpp>

namespace graft::inline v1::detail::platform {

/// Sets errno from the system's last error.
inline void set_errno() {
  switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME: errno = ENOENT; break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION: errno = EACCES; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: errno = ENOSPC; break;
    case ERROR_TOO_MANY_OPEN_FILES: errno = EMFILE; break;
    default: errno = EIO;
  }
}

inline int open_handle(const std::string& path, DWORD access, DWORD creation, DWORD attributes) {
  constexpr DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE handle =
      ::CreateFileW(path_of(path).wstring().c_str(), access, shared, nullptr, creation, attributes, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return set_errno(), -1;
  const int file = ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_BINARY | _O_NOINHERIT);
  if (file < 0) ::CloseHandle(handle);
  return file;
}
inline HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

/// Where a call reads or writes.
inline OVERLAPPED place_of(std::uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset & 0xFFFFFFFF);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

GRAFT_INLINE int open(const std::string& path, Opening how) {
  if (how == Opening::write) return open_handle(path, GENERIC_WRITE, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL);
  return open_handle(path, GENERIC_READ, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
}
GRAFT_INLINE int close(int file) { return ::_close(file); }
GRAFT_INLINE bool rewind(int file) { return ::_lseeki64(file, 0, SEEK_SET) == 0; }
GRAFT_INLINE bool skip(int file, std::int64_t bytes) { return ::_lseeki64(file, bytes, SEEK_CUR) != -1; }
GRAFT_INLINE std::int64_t read(int file, std::span<std::byte> into) {
  return ::_read(file, into.data(), static_cast<unsigned>(into.size()));
}
GRAFT_INLINE std::int64_t write(int file, std::span<const std::byte> bytes) {
  return ::_write(file, bytes.data(), static_cast<unsigned>(bytes.size()));
}
GRAFT_INLINE std::int64_t read(int file, std::uint64_t offset, std::span<std::byte> into) {
  OVERLAPPED place = place_of(offset);
  DWORD got = 0;
  if (::ReadFile(handle_of(file), into.data(), static_cast<DWORD>(into.size()), &got, &place)) return got;
  if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
  return set_errno(), -1;
}
GRAFT_INLINE std::int64_t write(int file, std::uint64_t offset, std::span<const std::byte> bytes) {
  OVERLAPPED place = place_of(offset);
  DWORD put = 0;
  if (::WriteFile(handle_of(file), bytes.data(), static_cast<DWORD>(bytes.size()), &put, &place)) return put;
  return set_errno(), -1;
}

GRAFT_INLINE bool read_state(int file, FileState& state) {
  BY_HANDLE_FILE_INFORMATION info{};
  const HANDLE handle = handle_of(file);
  const bool is_regular = ::GetFileType(handle) == FILE_TYPE_DISK;
  if (is_regular && !::GetFileInformationByHandle(handle, &info)) return set_errno(), false;
  const auto joined = [](DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; };
  constexpr std::uint64_t ticks = 10'000'000;  // a second
  const std::uint64_t written = joined(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime);
  state = {is_regular,
           info.dwVolumeSerialNumber,
           joined(info.nFileIndexHigh, info.nFileIndexLow),
           joined(info.nFileSizeHigh, info.nFileSizeLow),
           static_cast<std::int64_t>(written / ticks),
           static_cast<std::int64_t>(written % ticks * 100)};
  return true;
}

GRAFT_INLINE int open_scratch(const std::string& folder) {
  const std::string name = folder + "/.graft-" + std::to_string(std::random_device()());
  return open_handle(name, GENERIC_READ | GENERIC_WRITE, CREATE_NEW,
                     FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
}

GRAFT_INLINE UnnamedFile open_unnamed(const std::string&) { return {}; }

GRAFT_INLINE bool link(const std::string& file, const std::string& name) { return move(file, name); }
GRAFT_INLINE bool lacks_links(int) { return false; }
GRAFT_INLINE bool move(const std::string& file, const std::string& name) {
  if (::MoveFileExW(path_of(file).wstring().c_str(), path_of(name).wstring().c_str(), MOVEFILE_WRITE_THROUGH))
    return true;
  return set_errno(), false;
}

GRAFT_INLINE std::uint64_t process_id() { return ::GetCurrentProcessId(); }
GRAFT_INLINE std::size_t physical_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return ::GlobalMemoryStatusEx(&status) ? static_cast<std::size_t>(status.ullTotalPhys)
                                         : std::numeric_limits<std::size_t>::max();
}

}  // namespace graft::inline v1::detail::platform
#endif
