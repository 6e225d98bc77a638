import type { Duplex } from 'node:stream'
import type { AnyProgram, ShippedProcess } from './shipped-process.ts'
import { whyNot } from './why-not.ts'

interface Asked {
  readonly flags: ReadonlySet<string>
  /** Host and port, as far as they are said. */
  readonly words: readonly string[]
  readonly port: number | undefined
  readonly waitMs: number
}

/** Letters that take a value. */
const VALUED = new Set(['w', 'p', 's', 'i', 'q', 'I', 'O'])

function readWords(args: readonly string[]): Asked {
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const words: string[] = []
  const rest = [...args]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!/^-[A-Za-z]/.test(word)) words.push(word)
    else
      for (let at = 1; at < word.length; at++) {
        const letter = word.charAt(at)
        flags.add(letter)
        if (!VALUED.has(letter)) continue
        values.set(letter, word.slice(at + 1) || (rest.shift() ?? ''))
        break
      }
  }
  const port = values.get('p') ?? (flags.has('l') ? words.at(-1) : words[1])
  return { flags, words, port: port === undefined ? undefined : Number(port), waitMs: (Number(values.get('w')) || 10) * 1000 }
}

/** `nc HOST PORT` sends standard input and prints what comes back; `-z` only asks whether the port is open; `-l [-p] PORT` serves the one who comes first, `-lk` one after the other. */
export const nc: AnyProgram = async (container) => {
  const asked = readWords(container.args)
  if (asked.flags.has('u')) throw new Error('UDP is not there')
  if (asked.port === undefined || !(asked.port > 0 && asked.port < 65_536)) throw new Error('a port between 1 and 65535 is needed')
  return asked.flags.has('l') ? serve(container, asked, asked.port) : call(container, asked, asked.port)
}

async function call(container: ShippedProcess, { flags, words, waitMs }: Asked, port: number): Promise<number> {
  const [host = ''] = words
  const late = new AbortController()
  const cancel = container.clock.after(waitMs, () => late.abort(new Error('timed out')))
  try {
    const connection = await container.connect(host, port, { signal: late.signal })
    if (flags.has('v')) await container.stderr.write(`Connection to ${host} ${port} port [tcp/*] succeeded!\n`)
    if (!flags.has('z')) await exchange(container, connection)
    connection.destroy()
    return 0
  } catch (error) {
    if (flags.has('v'))
      await container.stderr.write(`nc: connect to ${host} port ${port} (tcp) failed: ${whyNot(error, late.signal.aborted).words}\n`)
    return 1
  } finally {
    cancel()
  }
}

async function serve(container: ShippedProcess, { flags }: Asked, port: number): Promise<number> {
  for (;;) {
    const came = Promise.withResolvers<Duplex>()
    let taken = false
    // The port stays open while the connection stands (who closes it cuts that, too), and takes nobody else.
    const open = await container.listen(port, {
      connection: (connection) => {
        if (taken) return void connection.destroy()
        taken = true
        came.resolve(connection)
      },
    })
    const connection = await came.promise
    await exchange(container, connection).catch(() => {}) // cut by the other side
    open.close()
    if (!flags.has('k')) return 0
  }
}

/** Both ways, until the other side has said all: its end is the end of `nc`, that of standard input is only told. */
async function exchange({ stdin, stdout }: ShippedProcess, connection: Duplex): Promise<void> {
  const sending = (async () => {
    for await (const piece of stdin) connection.write(piece)
    connection.end()
  })()
  sending.catch((error) => connection.destroy(error))
  for await (const piece of connection) await stdout.write(Buffer.from(piece))
}
