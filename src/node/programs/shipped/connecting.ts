import type { Duplex } from 'node:stream'
import { quiet, quietErrors } from '../../../base/quiet.ts'
import type { AnyProgram, ShippedProcess } from './shipped-process.ts'
import { whyNot } from './why-not.ts'

interface NcLine {
  readonly words: readonly string[]
  readonly flags: ReadonlySet<string>
  readonly port: string | undefined
  readonly seconds: number | undefined
  readonly program: readonly string[] | undefined
}

/** Letters with values, of the several kinds of `nc` that there are. */
function read(args: readonly string[]): NcLine {
  const rest = [...args]
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const words: string[] = []
  let program: string[] | undefined
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!/^-./.test(word)) words.push(word)
    else
      for (let i = 1; i < word.length; i++) {
        const letter = word[i] ?? ''
        if (letter === 'e') program = word.length > i + 1 ? [word.slice(i + 1), ...rest.splice(0)] : rest.splice(0)
        else if (letter === 'c') program = ['sh', '-c', rest.shift() ?? '']
        if (letter === 'e' || letter === 'c') break
        if (!'pwqis'.includes(letter)) flags.add(letter)
        else {
          values.set(letter, word.slice(i + 1) || (rest.shift() ?? ''))
          break
        }
      }
  }
  const seconds = Number(values.get('w')) || undefined
  return { words, flags, port: values.get('p'), seconds, program }
}

/** Both ways, until the other side has ended. */
async function talk(container: ShippedProcess, connection: Duplex): Promise<void> {
  quietErrors(connection, 'reading or writing reports the error')
  const send = async () => {
    for await (const piece of container.stdin)
      if (!connection.write(piece)) await new Promise((resolve) => connection.once('drain', resolve))
    connection.end()
  }
  void quiet(send(), 'the connection may be cut; its reader sees the end')
  try {
    for await (const piece of connection) await container.stdout.write(Buffer.from(piece))
  } finally {
    connection.destroy()
  }
}

/** A program whose input and output are the connection. */
async function serve(container: ShippedProcess, connection: Duplex, argv: readonly string[]): Promise<void> {
  quietErrors(connection, 'reading or writing reports the error')
  const write = { write: async (data: string | Uint8Array) => void connection.write(data) }
  try {
    await container.spawn(argv, { stdin: connection, stdout: write, stderr: container.stderr }).exit
    connection.end()
  } catch {
    connection.destroy()
  }
}

/** `nc -l -p PORT`: waits for one who connects; with `-k`, for ever more. */
async function listen(container: ShippedProcess, { words, port, flags, program }: NcLine): Promise<number> {
  const number = Number(port ?? words.at(-1))
  const keeps = flags.has('k')
  const first = Promise.withResolvers<Duplex>()
  let taken = false
  const opened = await container.listen(number, {
    connection: (connection: Duplex) => {
      if (taken && !keeps) return void connection.destroy()
      taken = true
      if (!keeps) return first.resolve(connection)
      const done = program === undefined ? talk(container, connection) : serve(container, connection, program)
      void quiet(done, 'a cut connection has ended like another')
    },
  })
  if (keeps) await container.clock.sleep(Number.MAX_SAFE_INTEGER)
  const connection = await first.promise
  const done = program === undefined ? talk(container, connection) : serve(container, connection, program)
  await quiet(done, 'a cut connection has ended like another')
  opened.close()
  return 0
}

/** Seconds after which a program without a time limit of its own stops waiting. */
const PATIENCE_S = 10

/** Each piece of standard input is a message; what comes back is printed until nothing has come for so long. */
async function talkByDatagrams(container: ShippedProcess, { words, flags, seconds = PATIENCE_S }: NcLine): Promise<number> {
  const [host = '', port = ''] = words
  try {
    await using conversation = await container.openDatagrams(host, Number(port))
    if (flags.has('v')) await container.stderr.write(`Connection to ${host} ${port} port [udp/*] succeeded!\n`)
    if (flags.has('z')) return 0
    for await (const piece of container.stdin) await conversation.send(piece)
    const wait = () => container.clock.after(seconds * 1000, () => conversation.close())
    let cancel = wait()
    for await (const answer of conversation) {
      cancel()
      await container.stdout.write(answer)
      cancel = wait()
    }
    return 0
  } catch (error) {
    if (flags.has('v')) await container.stderr.write(`nc: ${host}: ${whyNot(error, undefined, 'http://x').words}\n`)
    return 1
  }
}

/** `nc`: `-z HOST PORT` and ranges of ports, to send standard input (`-u`: over UDP), to listen. */
const nc: AnyProgram = async (container) => {
  const requested = read(container.args)
  const { words, flags, seconds = 10 } = requested
  if (flags.has('l')) {
    if (flags.has('u')) throw new Error('listening for UDP is not there')
    return listen(container, requested)
  }
  if (flags.has('u')) return talkByDatagrams(container, requested)
  const [host = '', ports = ''] = words
  const [from = 0, to = from] = ports.split('-').map(Number)
  if (!(from > 0 && to < 65_536)) throw new Error('a port between 1 and 65535 is needed')
  let status = 1
  for (let port = from; port <= Math.min(to, from + 65_535); port++) {
    const late = new AbortController()
    const cancel = container.clock.after(seconds * 1000, () => late.abort(new Error('timed out')))
    try {
      const connection = await container.connect(host, port, { signal: late.signal })
      cancel()
      status = 0
      if (flags.has('v')) await container.stderr.write(`Connection to ${host} ${port} port [tcp/*] succeeded!\n`)
      if (flags.has('z')) connection.destroy()
      else await talk(container, connection)
    } catch (error) {
      const { code } = whyNot(error, late.signal.aborted ? seconds * 1000 : undefined, 'http://x')
      const words = code === 28 ? 'Operation timed out' : code === 6 ? 'Name or service not known' : 'Connection refused'
      if (flags.has('v')) await container.stderr.write(`nc: connect to ${host} port ${port} (tcp) failed: ${words}\n`)
    } finally {
      cancel()
    }
  }
  return status
}

const telnet: AnyProgram = async (container) => {
  const [host = '', port = '23'] = container.args
  try {
    const connection = await container.connect(host, Number(port))
    await container.stdout.write(`Connected to ${host}\n`)
    await talk(container, connection)
    return 0
  } catch (error) {
    const { code, address } = whyNot(error, undefined, 'http://x')
    await container.stderr.write(
      code === 6 ? `telnet: bad address '${host}'\n` : `telnet: can't connect to remote host (${address ?? host}): Connection refused\n`,
    )
    return 1
  }
}

/** Programs that open connections. */
export const CONNECTING: Readonly<Record<string, AnyProgram>> = { nc, netcat: nc, telnet }
