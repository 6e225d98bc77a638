import path from 'node:path'
import { hasCode } from '../../base/has-code.ts'
import { quiet } from '../../base/quiet.ts'
import { resolvePath } from '../paths.ts'
import type { FileStatus, Process, Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { type CommandLine, readCommandLine, readCount } from './command-line.ts'
import { changedMode } from './file-mode.ts'
import { find, within } from './find/find.ts'
import { complain, eachPath } from './inputs.ts'
import { listedPermissions } from './permissions.ts'

const UNITS: Readonly<Record<string, number>> = { '': 1, c: 1, b: 512, k: 1024, K: 1024, M: 1 << 20, G: 1 << 30 }
/** What `dd` may write. */
const MOST_BYTES = 1 << 30
const CHUNK = 1 << 20

const permissions = ({ kind, mode }: FileStatus) => ({ directory: 'd', link: 'l', device: 'c', file: '-' })[kind] + listedPermissions(mode)

const nameOf = (id: number) => (id === 0 ? 'root' : String(id))

async function listing(process: Process, at: string, names: readonly string[], long: boolean): Promise<void> {
  for (const name of names) {
    if (!long) {
      await writeText(process.stdout, `${name}\n`)
      continue
    }
    const full = resolvePath(at, name)
    const [found, target] = await Promise.all([process.files.status(full), process.files.readLink(full).catch(() => undefined)])
    const link = {
      kind: 'link',
      sizeBytes: target?.length ?? 0,
      mode: 0o777,
      modifiedAtMs: found?.modifiedAtMs ?? 0,
      uid: 0,
      gid: 0,
    } as const
    const shown: FileStatus = target !== undefined ? link : (found ?? missing(name))
    const date = new Date(shown.modifiedAtMs).toUTCString()
    const day = `${date.slice(8, 11)} ${date.slice(5, 7).replace(/^0/, ' ')} ${date.slice(17, 22)}`
    const owner = `${nameOf(shown.uid).padEnd(8)} ${nameOf(shown.gid).padEnd(8)}`
    await writeText(
      process.stdout,
      `${permissions(shown)}    1 ${owner} ${String(shown.sizeBytes).padStart(9)} ${day} ${name}${target === undefined ? '' : ` -> ${target}`}\n`,
    )
  }
}

function missing(name: string): never {
  throw Object.assign(new Error(name), { code: 'ENOENT' })
}

async function makeAll(process: Process, at: string): Promise<void> {
  if ((await process.files.status(at)) !== undefined) return
  await makeAll(process, path.posix.dirname(at))
  await process.files.makeDirectory(at)
}

async function copyTree(process: Process, from: string, to: string): Promise<void> {
  const found = await process.files.status(from)
  // A missing file fails when it is read.
  if (found?.kind !== 'directory') return process.files.write(to, await process.files.read(from), found && { mode: found.mode })
  await makeAll(process, to)
  for (const name of await process.files.list(from)) await copyTree(process, resolvePath(from, name), resolvePath(to, name))
}

/** Where each of `FROM… TO` goes: into `TO` when it is a folder. */
async function targets(process: Process, words: readonly string[]): Promise<readonly (readonly [from: string, to: string])[]> {
  const to = resolvePath(process.directory, words.at(-1) ?? '')
  if (words.length < 2) throw new Error('missing file operand')
  const intoFolder = (await process.files.status(to))?.kind === 'directory'
  return words.slice(0, -1).map((from) => [from, intoFolder ? resolvePath(to, path.posix.basename(from)) : to])
}

function moving(flags: string, move: (from: string, to: string, process: Process, recursive: boolean) => Promise<void>): Program {
  return async (process) => {
    const line = readCommandLine(process.argv.slice(1), flags)
    const to = new Map(await targets(process, line.words))
    const recursive = ['r', 'R', 'a'].some((letter) => line.has(letter))
    return eachPath(process, [...to.keys()], async (from, name) => {
      const target = to.get(name) ?? ''
      if (!(await isSpared(process, line, from, target))) await move(from, target, process, recursive)
    })
  }
}

/** Whether `-n` or `-u` keeps the target: with `-n` any existing one, with `-u` one that is not older. */
async function isSpared({ files }: Process, line: CommandLine, from: string, target: string): Promise<boolean> {
  if (!line.has('n') && !line.has('u')) return false
  const there = await files.status(target)
  if (there === undefined) return false
  if (line.has('n')) return true
  const source = await files.status(from)
  return source !== undefined && there.modifiedAtMs >= source.modifiedAtMs
}

/** A size as `dd` and `truncate` take it: `10M`. */
function readSize(text: string): number {
  const [, count, unit = ''] = text.match(/^(\d{1,12})([cbkKMG]?)B?$/) ?? []
  if (count === undefined) throw new Error(`invalid number '${text}'`)
  return Number(count) * (UNITS[unit] ?? 1)
}

async function fill(process: Process, at: string, bytes: number): Promise<void> {
  if (bytes > MOST_BYTES) throw Object.assign(new Error('too large'), { code: 'ENOSPC' })
  await process.files.write(at, new Uint8Array())
  for (let left = bytes; left > 0; left -= CHUNK) {
    process.signal.throwIfAborted()
    await process.files.write(at, new Uint8Array(Math.min(left, CHUNK)), { append: true })
  }
}

/** Programs that look at files and change them. */
export const filing: Readonly<Record<string, Program>> = {
  ls: async (process) => {
    const line = readCommandLine(process.argv.slice(1), '1aAlRrtdhnFCS')
    const names = line.words.length === 0 ? ['.'] : line.words
    return eachPath(process, names, async (at, name) => {
      const found = (await process.files.status(at)) ?? missing(name)
      if (found.kind !== 'directory' || line.has('d')) return listing(process, process.directory, [name], line.has('l'))
      if (names.length > 1) await writeText(process.stdout, `${name}:\n`)
      const all = await process.files.list(at)
      if (line.has('l')) await writeText(process.stdout, `total ${all.length * 4}\n`)
      await listing(
        process,
        at,
        line.has('a') ? ['.', '..', ...all] : line.has('A') ? all : all.filter((n) => !n.startsWith('.')),
        line.has('l'),
      )
    })
  },
  mkdir: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'pv', 'm')
    return eachPath(process, line.words, (at) =>
      line.has('p') ? makeAll(process, at) : process.files.makeDirectory(at, Number.parseInt(line.value('m') ?? '755', 8)),
    )
  },
  rmdir: (process) => eachPath(process, process.argv.slice(1), (at) => process.files.remove(at)),
  rm: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'rRfvi')
    const status = await eachPath(process, line.words, async (at, name) => {
      const found = await process.files.status(at)
      const link = await process.files.readLink(at).catch(() => undefined)
      if (found === undefined && link === undefined) {
        if (!line.has('f')) missing(name)
        return
      }
      if (found?.kind === 'directory' && link === undefined && !line.has('r') && !line.has('R'))
        throw Object.assign(new Error(name), { code: 'EISDIR' })
      for await (const one of within(process, at)) await process.files.remove(one)
    })
    return line.has('f') ? 0 : status
  },
  touch: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'cam', 'd')
    return eachPath(process, line.words, async (at) => {
      if (!line.has('c') || (await process.files.status(at)) !== undefined)
        await process.files.write(at, new Uint8Array(), { append: true })
    })
  },
  /** `install -m MODE FROM… TO`, `install -d FOLDER…` */
  install: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'dDpv', 'mog')
    const mode = Number.parseInt(line.value('m') ?? '755', 8)
    if (line.has('d')) return eachPath(process, line.words, (at) => makeAll(process, at))
    const to = new Map(await targets(process, line.words))
    return eachPath(process, [...to.keys()], async (from, name) => {
      await copyTree(process, from, to.get(name) ?? '')
      await process.files.changeMode(to.get(name) ?? '', mode)
    })
  },
  cp: moving('rRafipvLPHdnu', async (from, to, process, recursive) => {
    if (!recursive && (await process.files.status(from))?.kind === 'directory') throw Object.assign(new Error(from), { code: 'EISDIR' })
    await copyTree(process, from, to)
  }),
  mv: moving('fivnu', async (from, to, process) => {
    try {
      await process.files.rename(from, to)
    } catch (error) {
      // Between volumes it is a copy.
      if (!hasCode(error, 'EXDEV')) throw error
      await copyTree(process, from, to)
      for await (const one of within(process, from)) await process.files.remove(one)
    }
  }),
  ln: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'sfn')
    const [target = '', name = path.posix.basename(line.words[0] ?? '')] = line.words
    return eachPath(process, [name], async (at) => {
      if (line.has('f')) await quiet(process.files.remove(at), 'there may be none')
      await process.files.makeLink(target, at)
    })
  },
  chmod: async (process) => {
    // `-x` is a mode here, so that options are not read as elsewhere.
    const args = process.argv.slice(1)
    const [mode = '', ...names] = args.filter((arg) => !/^-[Rfv]+$/.test(arg) && arg !== '--')
    return eachPath(process, names, async (path, name) => {
      for await (const one of args.some((arg) => /^-[fv]*R/.test(arg)) ? within(process, path) : [path]) {
        const { mode: old } = (await process.files.status(one)) ?? missing(name)
        await process.files.changeMode(one, changedMode(mode, old))
      }
    })
  },
  chown: async () => 0,
  chgrp: async () => 0,
  readlink: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'f')
    return eachPath(process, line.words, async (at) => {
      const target = await process.files.readLink(at).catch((error: unknown) => (line.has('f') ? at : Promise.reject(error)))
      await writeText(process.stdout, `${line.has('f') ? resolvePath(path.posix.dirname(at), target) : target}\n`)
    })
  },
  stat: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'L', 'c')
    return eachPath(process, line.words, async (at, name) => {
      const found = (await process.files.status(at)) ?? missing(name)
      const { uid, gid } = found
      const words: Record<string, string> = {
        a: (found.mode & 0o7777).toString(8),
        A: permissions(found),
        s: String(found.sizeBytes),
        n: name,
        u: String(uid),
        g: String(gid),
        Y: String(Math.floor(found.modifiedAtMs / 1000)),
        F: found.kind === 'file' ? 'regular file' : found.kind,
      }
      const format = line.value('c') ?? '  File: %n\n  Size: %s\t%F\nAccess: (%a/%A)  Uid: %u  Gid: %g'
      await writeText(process.stdout, `${format.replace(/%(\w)/g, (whole, c: string) => words[c] ?? whole)}\n`)
    })
  },
  find,
  du: async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'shka')
    return eachPath(process, line.words.length === 0 ? ['.'] : line.words, async (at, name) => {
      let bytes = 0
      for await (const one of within(process, at)) bytes += (await process.files.status(one))?.sizeBytes ?? 0
      await writeText(process.stdout, `${Math.ceil(bytes / 1024)}\t${name}\n`)
    })
  },
  /** `dd if=/dev/zero of=FILE bs=1M count=10`, or from file to file. */
  dd: async (process) => {
    const settings = new Map(process.argv.slice(1).map((a) => [a.slice(0, a.indexOf('=')), a.slice(a.indexOf('=') + 1)]))
    const [from = '/dev/zero', to] = [settings.get('if'), settings.get('of')]
    const bytes = readSize(settings.get('bs') ?? '512') * readCount(settings.get('count') ?? '1')
    if (to === undefined) throw new Error('of= is expected')
    const at = resolvePath(process.directory, to)
    if (/^\/dev\/(zero|u?random)$/.test(from)) await fill(process, at, bytes)
    else {
      const all = await process.files.read(resolvePath(process.directory, from))
      await process.files.write(at, settings.has('count') ? all.subarray(0, bytes) : all)
    }
    await complain(process, `${bytes} bytes copied`)
    return 0
  },
  fallocate: (process) => {
    const line = readCommandLine(process.argv.slice(1), '', 'l')
    return eachPath(process, line.words, (at) => fill(process, at, readSize(line.value('l') ?? '0')))
  },
  truncate: (process) => {
    const line = readCommandLine(process.argv.slice(1), 'c', 's')
    return eachPath(process, line.words, (at) => fill(process, at, readSize(line.value('s') ?? '0')))
  },
  sync: async () => 0,
}
