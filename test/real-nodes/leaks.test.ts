/** Nothing stays of pods that are gone: `leaks.ts` in namespaces of its own. `LEAK_PODS=200` makes it long. */
import path from 'node:path'
import { realTest } from './real-test.ts'

const SECONDS_A_POD = 10
const timeoutMs = 240_000 + Number(process.env.LEAK_PODS ?? 0) * SECONDS_A_POD * 1000
realTest('nothing is left of random pods, however often the agent is killed', path.join(import.meta.dirname, 'leaks.ts'), timeoutMs)
