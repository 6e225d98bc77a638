import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after as afterAll, test } from 'node:test'
import { type Clock, systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { FlexDrivers, isFlexDriverName } from './flex-drivers.ts'
import { runDriver } from './run-driver.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'flex-drivers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const log = path.join(folder, 'log')

/** A driver whose commands are cases of a shell script. */
function install(name: string, cases: string): void {
  const at = path.join(folder, `example.com~${name}`)
  mkdirSync(at, { recursive: true })
  const program = path.join(at, name)
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${log}\ncase $1 in\n${cases}\n*) echo '{"status":"Not supported"}'; exit 1;;\nesac\n`)
  chmodSync(program, 0o755)
}

const INIT = `init) echo '{"status":"Success","capabilities":{"attach":false}}';;`
const logged = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
const drivers = () => new FlexDrivers({ folder, clock: systemClock, log: silentLogger })

test('a driver is found when it is there, asked once for what it can do, and asked again when it is another file', async () => {
  rmSync(log, { force: true })
  const found = drivers()
  assert.equal(await found.find('example.com/late'), undefined)
  install('late', INIT)
  assert.equal((await found.find('example.com/late'))?.capabilities.attach, false)
  assert.equal(await found.find('example.com/late'), await found.find('example.com/late'))
  install('late', `${INIT}\nmount) echo '{"status":"Success"}';;`)
  await found.find('example.com/late')
  assert.deepEqual(logged(), ['init', 'init'])
  rmSync(path.join(folder, 'example.com~late'), { recursive: true })
  assert.equal(await found.find('example.com/late'), undefined)
})

test('a driver whose init fails is not there, and is asked again', async () => {
  rmSync(log, { force: true })
  install('broken', `init) echo '{"status":"Failure","message":"no"}'; exit 1;;`)
  const found = drivers()
  for (let i = 0; i < 2; i++) assert.equal(await found.find('example.com/broken'), undefined)
  assert.deepEqual(logged(), ['init', 'init'])
})

test('options come as JSON in order; a command that a driver does not have is asked for once', async () => {
  rmSync(log, { force: true })
  install('plain', `${INIT}\nmount) echo '{"status":"Success","device":"d"}';;\ndetach) echo '{"status":"Success"}'; exit 3;;`)
  const driver = await drivers().find('example.com/plain')
  assert.equal((await driver?.call('mount', '/at', { b: '2', a: '1' }))?.device, 'd')
  for (let i = 0; i < 2; i++) assert.equal(await driver?.tryCall('getvolumename', {}), undefined)
  await assert.rejects(driver?.call('detach', 'v') ?? Promise.resolve(), { message: 'exit status 3' }, 'it contradicts itself')
  assert.deepEqual(logged(), ['init', 'mount /at {"a":"1","b":"2"}', 'getvolumename {}', 'detach v'])
})

const NAMES: readonly (readonly [name: string, good: boolean])[] = [
  ['example.com/nfs', true],
  ['nfs', true],
  ['../bin/sh', false],
  ['a/../b', false],
  ['..', false],
  ['a/b/c', false],
  ['a~b/c d', false],
  ['kubernetes.io/csi', false],
  ['', false],
]
for (const [name, good] of NAMES)
  test(`a driver's name: ${JSON.stringify(name)} is ${good ? 'one' : 'none'}`, () => assert.equal(isFlexDriverName(name), good))

test('a driver that hangs is killed with all that it has started', async () => {
  const pidFile = path.join(folder, 'pid')
  install('hanging', `init) sleep 1000 & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; wait;;`)
  let timeOut = () => {}
  const after: Clock['after'] = (_, fn) => {
    timeOut = fn
    return () => {}
  }
  const clock: Clock = { ...systemClock, after }
  const program = path.join(folder, 'example.com~hanging', 'hanging')
  const running = runDriver({ program, args: ['init'], timeoutMs: 1, clock })
  while (!existsSync(pidFile)) await new Promise((resolve) => setImmediate(resolve))
  timeOut()
  await assert.rejects(running, { name: 'FlexError', message: 'Timeout' })
  const pid = Number(readFileSync(pidFile, 'utf8'))
  const isAlive = () => existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  while (isAlive()) await new Promise((resolve) => setImmediate(resolve))
})

test('a driver that writes without end is killed; a program that cannot run says so', async () => {
  install('chatty', `init) yes;;`)
  const program = path.join(folder, 'example.com~chatty', 'chatty')
  const given = { args: ['init'], timeoutMs: 60_000, clock: systemClock }
  await assert.rejects(runDriver({ program, ...given }), /wrote more than 1048576 bytes/)
  await assert.rejects(runDriver({ program: path.join(folder, 'nothing'), ...given }), /ENOENT/)
})
