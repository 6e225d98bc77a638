/** A process that starts a runner and prints its number; see `runner-process.test.ts`. */
import { keepAlive, systemClock } from '../../../base/clock.ts'
import type { RunnerData } from './runner-data.ts'
import { startRunner } from './runner-process.ts'

keepAlive()
const data = JSON.parse(process.argv[2] ?? '') as Omit<RunnerData, 'parent'>
console.log(startRunner(data, () => ({}), systemClock).pid)
