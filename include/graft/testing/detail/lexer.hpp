#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

struct Token {
  enum class Kind { end, word, value, text, number, mark };

  Kind kind = Kind::end;  // word: bare; value: behind a %; text: between quotes; mark: punctuation
  std::string text{};     // without % and quotes
  std::size_t at = 0;     // position in the whole text
  bool first_of_line = false;

  bool is(std::string_view mark) const { return kind == Kind::mark && text == mark; }
  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
};

/// "line 2, column 7: ..."
inline Error text_error(std::string_view whole, std::size_t at, const std::string& message) {
  const std::string_view before = whole.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
  return Error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + message);
}

class Lexer {
 public:
  explicit Lexer(std::string_view whole) : whole_(whole) {}

  /// All tokens, followed by an end token.
  std::vector<Token> tokens() {
    std::vector<Token> all;
    while (all.empty() || all.back().kind != Token::Kind::end) all.push_back(next());
    return all;
  }

 private:
  static constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/";
  static constexpr std::string_view digits = "0123456789";

  char peek(std::size_t ahead = 0) const { return at_ + ahead < whole_.size() ? whole_[at_ + ahead] : '\0'; }
  static bool among(char c, std::string_view set) { return c != '\0' && set.find(c) != std::string_view::npos; }
  static bool goes_on(char c) { return among(c, letters) || among(c, digits) || among(c, ".-"); }

  bool skip_blanks() {
    bool new_line = at_ == 0;
    while (true) {
      if (peek() == '#') at_ = std::min(whole_.find('\n', at_), whole_.size());
      if (!among(peek(), " \t\r\n")) return new_line;
      new_line = new_line || peek() == '\n';
      ++at_;
    }
  }

  Token next() {
    Token token;
    token.first_of_line = skip_blanks();
    token.at = at_;
    if (at_ == whole_.size()) return token;
    const char c = peek();
    if (c == '"') {
      token.kind = Token::Kind::text;
      token.text = quoted();
    } else if (c == '%') {
      ++at_;
      token.kind = Token::Kind::value;
      token.text = peek() == '"' ? quoted() : run();
      if (token.text.empty()) throw text_error(whole_, token.at, "a name belongs behind %");
    } else if (among(c, digits) || (among(c, "+-.") && (among(peek(1), digits) || among(peek(1), ".i")))) {
      token.kind = Token::Kind::number;
      token.text = number();
    } else if (among(c, letters)) {
      token.kind = Token::Kind::word;
      token.text = run();
    } else if (among(c, "(){}[]=:;,?")) {
      token.kind = Token::Kind::mark;
      token.text = c == ':' && peek(1) == ':' ? "::" : std::string(1, c);
      at_ += token.text.size();
    } else {
      throw text_error(whole_, at_, "'" + std::string(1, c) + "' is not allowed here");
    }
    return token;
  }

  std::string run() {
    const std::size_t begin = at_;
    while (goes_on(peek())) ++at_;
    return std::string(whole_.substr(begin, at_ - begin));
  }

  std::string number() {
    const std::size_t begin = at_;
    while (goes_on(peek()) || (peek() == '+' && (at_ == begin || among(whole_[at_ - 1], "eE")))) ++at_;
    return std::string(whole_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    const std::size_t begin = at_++;
    std::string text;
    while (peek() != '"') {
      const bool escaped = peek() == '\\';
      if (escaped) ++at_;
      if (at_ >= whole_.size()) throw text_error(whole_, begin, "the quote is not closed");
      text += escaped && peek() == 'n' ? '\n' : peek();
      ++at_;
    }
    ++at_;
    return text;
  }

  std::string_view whole_;
  std::size_t at_ = 0;
};

}  // namespace graft::inline v1::detail
