/** Builds all Go programs of the tests, one module after the other, so that no test has to wait for a compiler. */
import { BUILT_BEFORE, goPrograms } from './go-program.ts'

const BUILD_LIMIT_MS = 1_800_000

for (const name of BUILT_BEFORE) {
  const { why } = await goPrograms(name, BUILD_LIMIT_MS)
  if (why !== undefined) console.log(`# Go programs of ${name}: ${why}`)
}
