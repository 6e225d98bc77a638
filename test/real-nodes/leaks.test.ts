/** Nothing stays of pods that are gone: `leaks.ts` in namespaces of its own. `LEAK_PODS=200` makes it long. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('nothing is left of random pods, however often the agent is killed', path.join(import.meta.dirname, 'leaks.ts'))
