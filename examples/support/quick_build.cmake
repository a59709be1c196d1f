# cmake -C examples/support/quick_build.cmake: little optimization and a few large units, which compile faster.
# Inference is as fast: its loops are explicit vectors.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "")
set(CMAKE_UNITY_BUILD ON CACHE BOOL "")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 4 CACHE STRING "")
