#include <graft/rewrite/type_key.hpp>

#include <unordered_set>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

struct A {};
struct B {};
class Incomplete;

}  // namespace

TEST_CASE("each type has one key") {
  CHECK(TypeKey::of<A>() == TypeKey::of<A>());
  CHECK(TypeKey::of<A>() != TypeKey::of<B>());
  CHECK(TypeKey::of<A>() != TypeKey::of<const A>());
  CHECK(TypeKey::of<A>() != TypeKey::of<Incomplete>());
  const std::unordered_set<TypeKey, TypeKey::Hash> keys{TypeKey::of<A>(), TypeKey::of<B>(), TypeKey::of<A>()};
  CHECK(keys.size() == 2);
}
