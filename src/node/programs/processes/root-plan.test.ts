import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bind, type HostEntry, planRoot, type RootStep } from './root-plan.ts'

/** A machine: `usr/ bin@usr/bin etc/ etc/hosts` (a folder ends with `/`, a link has `@` and its target). */
function machine(text: string): (folder: string) => readonly HostEntry[] | undefined {
  const entries = text.split(' ').map((word): HostEntry & { readonly path: string } => {
    const [at = '', target] = word.split('@')
    const path = `/${at.replace(/\/$/, '')}`
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (target !== undefined) return { path, name, kind: 'link', target }
    return { path, name, kind: at.endsWith('/') ? 'directory' : 'file' }
  })
  return (folder) => {
    if (folder !== '/' && !entries.some(({ path, kind }) => path === folder && kind === 'directory')) return undefined
    const prefix = folder === '/' ? '/' : `${folder}/`
    return entries.filter(({ path, name }) => path === prefix + name).map(({ path: _path, ...entry }) => entry)
  }
}

const MACHINE = machine('usr/ bin@usr/bin run/ run/lock/ run/a.sock etc/ etc/hosts proc/ dev/')
const volume = (path: string, more: Partial<Bind> = {}): Bind => ({ source: '/v', path, kind: 'directory', readOnly: false, ...more })

function lineOf(step: RootStep): string {
  if (step.do === 'keep') return `${step.path}=${step.path}`
  if (step.do === 'bind') return `${step.path}=${step.source}${step.readOnly ? ':ro' : ''}`
  return step.do === 'link' ? `${step.path}@${step.target}` : `${step.path}${step.do === 'folder' ? '/' : ''}`
}

const cases: readonly (readonly [rule: string, binds: readonly Bind[], lines: string])[] = [
  ['what the machine has is kept', [], '/usr/ /usr=/usr /bin@usr/bin /run/ /run=/run /etc/ /etc=/etc'],
  [
    'a folder that the machine lacks is made beside the others',
    [volume('/data', { readOnly: true })],
    '/usr/ /usr=/usr /bin@usr/bin /run/ /run=/run /etc/ /etc=/etc /data/ /data=/v:ro',
  ],
  [
    'a folder above a mount point is made anew, with its other entries',
    [volume('/run/secrets/x')],
    '/usr/ /usr=/usr /bin@usr/bin /etc/ /etc=/etc /run/ /run/lock/ /run/lock=/run/lock /run/a.sock /run/a.sock=/run/a.sock /run/secrets/ /run/secrets/x/ /run/secrets/x=/v',
  ],
  ['a volume hides what the machine has there', [volume('/etc')], '/usr/ /usr=/usr /bin@usr/bin /run/ /run=/run /etc/ /etc=/v'],
  [
    'a volume in a volume comes after it, and takes nothing of the machine',
    [volume('/run/a'), volume('/run/a/b', { source: '/w' })],
    '/usr/ /usr=/usr /bin@usr/bin /etc/ /etc=/etc /run/ /run/lock/ /run/lock=/run/lock /run/a.sock /run/a.sock=/run/a.sock /run/a/ /run/a=/v /run/a/b/ /run/a/b=/w',
  ],
  [
    'devices are not those of the machine',
    [volume('/dev/termination-log', { kind: 'file' })],
    '/usr/ /usr=/usr /bin@usr/bin /run/ /run=/run /etc/ /etc=/etc /dev/ /dev/termination-log /dev/termination-log=/v',
  ],
]
for (const [rule, binds, lines] of cases)
  test(rule, () => {
    assert.equal(planRoot(binds, MACHINE).map(lineOf).join(' '), lines)
  })
