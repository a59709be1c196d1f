#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

/// Puts options that are added during its lifetime under a title in --help.
class HelpSection {
 public:
  HelpSection(CLI::App& app, std::string title)
      : app_(app), title_(std::move(title)), before_(app.get_options().size()) {}
  HelpSection(const HelpSection&) = delete;
  HelpSection& operator=(const HelpSection&) = delete;
  ~HelpSection() {
    for (CLI::Option* const option : options()) option->group(title_);
  }

  std::vector<CLI::Option*> options() const {
    const std::vector<CLI::Option*> all = app_.get_options();
    return {all.begin() + static_cast<std::ptrdiff_t>(before_), all.end()};
  }

 private:
  CLI::App& app_;
  std::string title_;
  std::size_t before_;
};
