import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { createTarDecoder, packTar, type TarEntry } from 'modern-tar'
import { quiet } from '../../base/quiet.ts'
import { resolvePath } from '../paths.ts'
import { inputOf } from '../processes/pipe.ts'
import type { Input, Process, Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { complain } from './inputs.ts'

interface Command {
  readonly mode: 'c' | 'x' | 't'
  /** `-`: standard input or output. */
  readonly file: string
  readonly directory: string
  readonly verbose: boolean
  readonly gzip: boolean
  readonly strip: number
  readonly words: readonly string[]
}

/** `tar` as `kubectl cp` calls it: `cf - PATH…`, `xmf - -C FOLDER`, and `tf -`. Nothing is laid down outside of the folder. */
export const tar: Program = async (process) => {
  if (process.argv.includes('--version')) {
    await writeText(process.stdout, 'tar (simulated)\n')
    return 0
  }
  const command = readCommand(process)
  if ((await process.files.status(command.directory))?.kind !== 'directory')
    throw new Error(`can't change directory to '${command.directory}': No such file or directory`)
  if (command.mode === 'c') return pack(process, command)
  const input = command.file === '-' ? process.stdin : inputOf(await process.files.read(resolvePath(process.directory, command.file)))
  return unpack(process, command, input)
}

/** @throws {Error} for letters that it does not know */
function readCommand(process: Process): Command {
  const words: string[] = []
  const args = process.argv.slice(1)
  let [mode, file, directory, verbose, gzip, strip] = ['' as string, '-', process.directory, false, false, 0]
  const letters = (text: string) => {
    for (const letter of text) {
      if (letter === 'c' || letter === 'x' || letter === 't') mode = letter
      else if (letter === 'f') file = args.shift() ?? '-'
      else if (letter === 'C') directory = resolvePath(directory, args.shift() ?? '')
      else if (letter === 'v') verbose = true
      else if (letter === 'z') gzip = true
      else if (!'mopkhP'.includes(letter)) throw new Error(`unrecognized option '${letter}'`)
    }
  }
  letters((args[0]?.startsWith('-') ? '' : args.shift()) ?? '')
  for (let word = args.shift(); word !== undefined; word = args.shift()) {
    if (word.startsWith('--strip-components=')) strip = Number(word.slice(19)) || 0
    else if (word === '--no-same-owner' || word === '--no-same-permissions' || word === '--') continue
    else if (word.startsWith('-') && word !== '-') letters(word.slice(1))
    else words.push(word)
  }
  if (mode !== 'c' && mode !== 'x' && mode !== 't') throw new Error('one of -c, -x, -t is expected')
  return { mode, file, directory, verbose, gzip, strip, words }
}

/** What one archive may hold. */
const MOST_BYTES = 1 << 30

async function pack(process: Process, { directory, words, file, gzip }: Command): Promise<number> {
  const { files } = process
  const entries: TarEntry[] = []
  let held = 0
  let status = 0
  const add = async (at: string, name: string): Promise<void> => {
    const target = await files.readLink(at).catch(() => undefined)
    const found = await files.status(at)
    if (target !== undefined) entries.push({ header: { name, type: 'symlink', size: 0, linkname: target } })
    else if (found?.kind === 'directory') {
      entries.push({ header: { name: `${name}/`, type: 'directory', size: 0, mode: found.mode, mtime: new Date(found.modifiedAtMs) } })
      for (const child of await files.list(at)) await add(resolvePath(at, child), `${name}/${child}`)
    } else {
      const body = await files.read(at)
      held += body.length
      if (held > MOST_BYTES) throw new Error('too much for one archive')
      entries.push({
        header: { name, type: 'file', size: body.length, mode: found?.mode ?? 0o644, mtime: new Date(found?.modifiedAtMs ?? 0) },
        body: Uint8Array.from(body),
      })
    }
  }
  if (words.some((word) => word.startsWith('/'))) await complain(process, "removing leading '/' from member names")
  for (const word of words) {
    const at = resolvePath(directory, word)
    const there = (await files.status(at)) ?? (await files.readLink(at).catch(() => undefined))
    if (there !== undefined) await add(at, path.posix.normalize(word).replace(/^\/+/, '').replace(/\/$/, ''))
    else {
      await complain(process, `${word}: No such file or directory`)
      status = 1
    }
  }
  if (status !== 0 && entries.length === 0) {
    // No archive rather than an empty one: `kubectl cp` takes an empty one for success.
    await complain(process, 'error exit delayed from previous errors')
    return status
  }
  const plain = await packTar(entries)
  const archive = gzip ? gzipSync(plain) : plain
  if (file === '-') await process.stdout.write(archive)
  else await files.write(resolvePath(process.directory, file), archive)
  if (status !== 0) await complain(process, 'error exit delayed from previous errors')
  return status
}

async function unpack(process: Process, { mode, directory, verbose, gzip, strip, words }: Command, input: Input): Promise<number> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = await input.read(process.signal)
      if (piece === undefined) controller.close()
      else controller.enqueue(Uint8Array.from(piece))
    },
  })
  for await (const { header, body } of (gzip ? source.pipeThrough(new DecompressionStream('gzip')) : source).pipeThrough(
    createTarDecoder(),
  )) {
    const name = path.posix
      .normalize(`/${header.name}`)
      .split('/')
      .filter((p) => p !== '')
      .slice(strip)
      .join('/')
    const wanted = name !== '' && (words.length === 0 || words.some((w) => `${name}/`.startsWith(`${w.replace(/\/$/, '')}/`)))
    if (!wanted) {
      await body.cancel()
      continue
    }
    if (mode === 't' || verbose) await writeText(process.stdout, `${header.name}\n`)
    if (mode === 't') await body.cancel()
    else await lay(process, resolvePath(directory, name), header, body)
  }
  return 0
}

async function lay(
  { files }: Process,
  at: string,
  header: { type?: string; mode?: number; linkname?: string },
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  await makeFolder(files, header.type === 'directory' ? at : path.posix.dirname(at))
  if (header.type === 'symlink') {
    await quiet(files.remove(at), 'there may be none')
    await files.makeLink(header.linkname ?? '', at)
  } else if (header.type === 'file' || header.type === undefined) {
    await quiet(files.remove(at), 'there may be none')
    await files.write(at, new Uint8Array(), { mode: header.mode ?? 0o644 })
    for await (const piece of body) await files.write(at, piece, { append: true })
    return
  }
  await body.cancel()
}

async function makeFolder(files: Process['files'], at: string): Promise<void> {
  if ((await files.status(at)) !== undefined) return
  await makeFolder(files, path.posix.dirname(at))
  await files.makeDirectory(at)
}
