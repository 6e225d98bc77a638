/**
 * `node scripts/complete-lock.mjs`, after `npm install`: adds the optional packages of other platforms that the registry at hand does not carry, so that `npm ci`
 * finds the lock file complete everywhere.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const OS = { android: 'android', darwin: 'darwin', freebsd: 'freebsd', linux: 'linux', openharmony: 'openharmony', win32: 'win32' }
const CPU = { arm64: 'arm64', arm: 'arm', x64: 'x64', ia32: 'ia32', ppc64: 'ppc64', riscv64: 'riscv64', s390x: 's390x' }
let added = 0
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const at = `node_modules/${name}`
    if (lock.packages[at] !== undefined) continue
    const words = name.split('/').pop().split('-')
    const os = words.find((w) => OS[w])
    const cpu = words.find((w) => CPU[w])
    if (os === undefined || cpu === undefined) continue
    const libc = words.some((w) => w.startsWith('musl'))
      ? ['musl']
      : words.some((w) => w.startsWith('gnu')) && os === 'linux'
        ? ['glibc']
        : undefined
    lock.packages[at] = { version, cpu: [cpu], dev: true, optional: true, os: [os], ...(libc ? { libc } : {}) }
    added++
  }
}
const root = lock.packages['']
lock.packages = {
  '': root,
  ...Object.fromEntries(
    Object.entries(lock.packages)
      .filter(([k]) => k !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ),
}
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`)
console.log(`${added} added`)
