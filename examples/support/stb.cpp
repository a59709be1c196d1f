// The implementation of the stb headers.
#define STBI_WINDOWS_UTF8
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

// The resizer asserts that filter weights sum to nearly 1 just before it divides them by their sum. Some reductions
// violate that assertion.
#define STBIR_ASSERT(condition) static_cast<void>(0)
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb/stb_image_resize.h>
