#pragma once
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph.hpp>

template <class T>
std::vector<std::string> texts_of(const std::vector<T>& list) {
  std::vector<std::string> texts;
  for (const T& one : list) texts.push_back(to_string(one));
  return texts;
}

/// The problems of a model: those of verify(), and declared types that are wrong.
struct Problems {
  std::vector<graft::Problem> found{};
  std::vector<graft::Contradiction> types{};

  std::vector<std::string> texts() const {
    std::vector<std::string> all = texts_of(found);
    for (std::string& text : texts_of(types)) all.push_back(std::move(text));
    return all;
  }
};

/// Infers types and restores the declared ones afterwards, so that the result does not depend on earlier inference.
inline Problems problems_of(graft::Model& model, const graft::Operators& operators = {}) {
  const graft::Transaction trial(model.graph());
  Problems problems;
  graft::InferOptions options{.operators = operators};
  options.contradiction = [&problems](const graft::Contradiction& one) { problems.types.push_back(one); };
  try {
    graft::infer_shapes(model.graph(), std::move(options));
  } catch (const graft::Error&) {  // a malformed attribute, which verify() reports
  }
  problems.found = graft::verify(model);
  return problems;
}

/// The problems that a model had, to recognize those that passes made. A problem is compared by its kind and operator,
/// because passes rename values and nodes, and change the numbers in a text.
class KnownProblems {
 public:
  KnownProblems() = default;
  explicit KnownProblems(const Problems& problems) {
    for (const graft::Problem& problem : problems.found) kinds_.insert(kind_of(problem));
    for (const graft::Contradiction& one : problems.types) values_.emplace(one.value->name());
  }

  Problems new_among(Problems problems) const {
    std::multiset<std::string> left = kinds_;
    std::erase_if(problems.found, [&left](const graft::Problem& problem) {
      const auto known = left.find(kind_of(problem));
      if (known == left.end()) return false;
      left.erase(known);
      return true;
    });
    std::erase_if(problems.types, [this](const graft::Contradiction& one) {
      return values_.count(std::string(one.value->name())) != 0;
    });
    return problems;
  }

 private:
  /// The operator, and the text without numbers and quoted names.
  static std::string kind_of(const graft::Problem& problem) {
    std::string kind(problem.node != nullptr ? problem.node->op_type() : "");
    bool is_quoted = false;
    for (const char c : problem.text) {
      if (c == '\'') is_quoted = !is_quoted;
      if (!is_quoted && std::isdigit(static_cast<unsigned char>(c)) == 0) kind += c;
    }
    return kind;
  }

  std::multiset<std::string> kinds_;
  std::set<std::string> values_;
};
