/**
 * Loaded with `--import` into a process that is measured: SIGUSR2 begins a CPU profile of its main thread, the next one ends it and writes
 * it to `PROFILE_FILE`; with `PROFILE_KIND=allocations` (`survivors`: only what outlives the young generation) it is one of the bytes that
 * were allocated between the two, whether they live on or not. SIGPIPE collects garbage, and writes what the process weighs then to
 * `PROFILE_FILE.memory`; with `HEAP_SNAPSHOT=1` also what lives, to `PROFILE_FILE.heapsnapshot`. SIGWINCH writes that at any time.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { profileWorkers } from './profile-workers.ts'

const file = process.env.PROFILE_FILE ?? ''
const session = new Session()
session.connect()
let running = false
const workers = process.env.PROFILE_THREADS === '1' ? profileWorkers(session) : undefined

/** A file appears whole. */
function write(name: string, text: string): void {
  writeFileSync(`${name}.part`, text)
  renameSync(`${name}.part`, name)
}

const SAMPLE_BYTES = 65_536

function allocations(): void {
  if (!running) {
    running = true
    const options = {
      samplingInterval: SAMPLE_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: process.env.PROFILE_KIND !== 'survivors',
    }
    session.post('HeapProfiler.startSampling', options)
    return
  }
  session.post('HeapProfiler.stopSampling', (_, { profile }) => {
    running = false
    write(file, JSON.stringify(profile))
  })
}

process.on('SIGUSR2', () => {
  if (process.env.PROFILE_KIND === 'allocations' || process.env.PROFILE_KIND === 'survivors') return allocations()
  if (!running) {
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 500 })
    workers?.start()
    session.post('Profiler.start', () => {
      running = true
    })
    return
  }
  workers?.stop((name, profile) => write(`${file}.${name}`, JSON.stringify(profile)))
  session.post('Profiler.stop', (_, { profile }) => {
    running = false
    write(file, JSON.stringify(profile))
  })
})

process.on('SIGPIPE', () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  gc()
  write(`${file}.memory`, JSON.stringify(process.memoryUsage()))
  if (process.env.HEAP_SNAPSHOT === '1') writeHeapSnapshot(`${file}.heapsnapshot`)
})

process.on('SIGWINCH', () => {
  writeHeapSnapshot(`${file}.heapsnapshot`)
  write(`${file}.heapsnapshot.done`, '')
})
