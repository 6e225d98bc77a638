/**
 * Loaded with `--import` into a process that is measured: SIGUSR2 begins a CPU profile of its main thread, the next one ends it and writes it to
 * `PROFILE_FILE`; with `HEAP_SNAPSHOT=1` SIGPIPE collects garbage, and writes what lives to `PROFILE_FILE.heapsnapshot`.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8'
import { runInNewContext } from 'node:vm'

const file = process.env.PROFILE_FILE ?? ''
const session = new Session()
session.connect()
let running = false

/** A file appears whole. */
function write(name: string, text: string): void {
  writeFileSync(`${name}.part`, text)
  renameSync(`${name}.part`, name)
}

process.on('SIGUSR2', () => {
  if (!running) {
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 500 })
    session.post('Profiler.start', () => {
      running = true
    })
    return
  }
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
