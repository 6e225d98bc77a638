import { messageOf } from '../../../base/message-of.ts'
import { CONNECTING } from './connecting.ts'
import { NAMING } from './naming.ts'
import type { AnyProgram, ShippedProcess } from './shipped-process.ts'
import { whyNot } from './why-not.ts'

const FAILED = { resolve: 6, connect: 7, http: 22 } as const

interface CurlLine {
  readonly method: string
  readonly url: string
  readonly headers: readonly [string, string][]
  readonly body: string | undefined
  readonly timeoutMs: number | undefined
  readonly flags: ReadonlySet<string>
  readonly output: string | undefined
  readonly format: string | undefined
  readonly caFile: string | undefined
}

/** Letters of `curl` that take a value, and words that do, as the letter that they mean. */
const VALUED = new Set(['X', 'H', 'd', 'm', 'o', 'w', 'A', 'u', 'T', 'e', 'b', 'c', 'x', 'E'])
const LONG: Readonly<Record<string, string>> = {
  request: 'X',
  header: 'H',
  data: 'd',
  'max-time': 'm',
  'connect-timeout': 'm',
  output: 'o',
  'write-out': 'w',
  cacert: 'cacert',
  silent: 's',
  insecure: 'k',
  fail: 'f',
  location: 'L',
  head: 'I',
  include: 'i',
  'show-error': 'S',
  retry: 'retry',
  'data-raw': 'd',
  'data-binary': 'd',
  'data-ascii': 'd',
  user: 'u',
  'user-agent': 'A',
  referer: 'e',
  verbose: 'v',
  'no-progress-meter': 's',
  'fail-with-body': 'f',
  get: 'G',
  'oauth2-bearer': 'bearer',
  'retry-delay': 'ignored',
  'retry-max-time': 'ignored',
  'retry-connrefused': 'retries-refused',
  'http1.1': 'http',
  http2: 'http',
  compressed: 'compressed',
  'max-redirs': 'ignored',
  'remote-name': 'O',
  // Every way out of a container is the same.
  interface: 'ignored',
  globoff: 'g',
  disable: 'q',
  ipv4: '4',
  ipv6: '6',
}
const LONG_VALUED = new Set(['cacert', 'retry', 'bearer', 'ignored'])

/** @throws {Error} for an option that it does not know */
function readCurl(args: readonly string[]): CurlLine {
  const rest = [...args]
  const values = new Map<string, string>()
  const flags = new Set<string>()
  const headers: [string, string][] = []
  let url = ''
  const give = (letter: string, value: string) => {
    if (letter === 'H') headers.push([value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1).trim()])
    else if (letter === 'u') headers.push(['authorization', `Basic ${Buffer.from(value).toString('base64')}`])
    else if (letter === 'bearer') headers.push(['authorization', `Bearer ${value}`])
    else if (letter === 'A') headers.push(['user-agent', value])
    else if (letter === 'd' && values.has('d')) values.set('d', `${values.get('d')}&${value}`)
    else values.set(letter, value)
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word.startsWith('--')) {
      const name = Object.hasOwn(LONG, word.slice(2)) ? LONG[word.slice(2)] : undefined
      if (name === undefined) throw new Error(`option ${word}: is unknown`)
      if (VALUED.has(name) || LONG_VALUED.has(name)) give(name, rest.shift() ?? '')
      else flags.add(name)
    } else if (word.startsWith('-') && word !== '-') {
      for (let i = 1; i < word.length; i++) {
        const letter = word[i] ?? ''
        if (!VALUED.has(letter)) flags.add(letter)
        else {
          give(letter, word.slice(i + 1) || (rest.shift() ?? ''))
          break
        }
      }
    } else url = /^https?:\/\//.test(word) ? word : `http://${word}`
  }
  const seconds = values.get('m')
  return {
    method: values.get('X') ?? (flags.has('I') ? 'HEAD' : values.has('d') ? 'POST' : 'GET'),
    url,
    headers,
    body: values.get('d'),
    timeoutMs: seconds === undefined ? undefined : Number(seconds) * 1000,
    flags,
    output: values.get('o'),
    format: values.get('w'),
    caFile: values.get('cacert'),
  }
}

/** What is to be sent: `@FILE`, `@-`, or the text itself. */
async function bodyOf({ body }: CurlLine, container: ShippedProcess): Promise<string | Uint8Array<ArrayBuffer> | undefined> {
  if (body === undefined || !body.startsWith('@')) return body
  if (body !== '@-') return Uint8Array.from(await container.files.readFile(body.slice(1)))
  return Uint8Array.from(Buffer.concat(await Array.fromAsync(container.stdin)))
}

const curl: AnyProgram = async (container) => {
  let line: CurlLine
  try {
    line = readCurl(container.args)
  } catch (error) {
    await container.stderr.write(`curl: ${messageOf(error)}\ncurl: try 'curl --help' for more information\n`)
    return 2
  }
  if (line.url === '') {
    await container.stderr.write("curl: (2) no URL specified\ncurl: try 'curl --help' for more information\n")
    return 2
  }
  const form = line.body !== undefined && !line.headers.some(([name]) => name.toLowerCase() === 'content-type')
  const body = await bodyOf(line, container)
  const late = new AbortController()
  const cancel = line.timeoutMs === undefined ? () => {} : container.clock.after(line.timeoutMs, () => late.abort(new Error('timed out')))
  try {
    const response = await container.fetch(line.url, {
      method: line.method,
      headers: [...line.headers, ...(form ? ([['content-type', 'application/x-www-form-urlencoded']] as [string, string][]) : [])],
      ...(body !== undefined && { body }),
      redirect: line.flags.has('L') ? 'follow' : 'manual',
      insecureSkipTlsVerify: line.flags.has('k'),
      ...(line.caFile !== undefined && { caFile: line.caFile }),
      signal: late.signal,
    })
    if (line.flags.has('f') && response.status >= 400) {
      await container.stderr.write(`curl: (22) The requested URL returned error: ${response.status}\n`)
      return FAILED.http
    }
    const head = line.flags.has('I') || line.flags.has('i')
    const text = head
      ? `HTTP/1.1 ${response.status} ${response.statusText}\r\n${[...response.headers].map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`
      : ''
    const answered = line.method === 'HEAD' ? Buffer.alloc(0) : Buffer.from(await response.arrayBuffer())
    const whole = Buffer.concat([Buffer.from(text), answered])
    const output = line.output ?? (line.flags.has('O') ? (new URL(line.url).pathname.split('/').pop() ?? '') : '-')
    if (output === '-') await container.stdout.write(whole)
    else if (output !== '/dev/null') await container.files.writeFile(output, whole)
    const format = line.format?.replace(/%\{(http_code|response_code)\}/g, String(response.status)).replaceAll('\\n', '\n')
    if (format !== undefined) await container.stdout.write(format)
    return 0
  } catch (error) {
    const { code, words } = whyNot(error, late.signal.aborted ? line.timeoutMs : undefined, line.url)
    if (!line.flags.has('s') || line.flags.has('S')) await container.stderr.write(`curl: (${code}) ${words}\n`)
    return code
  } finally {
    cancel()
  }
}

interface Download {
  readonly url: string
  readonly output: string | undefined
  readonly quiet: boolean
  readonly spider: boolean
  readonly showHead: boolean
  readonly timeoutMs: number
  readonly headers: readonly [string, string][]
  readonly body: string | undefined
}

/** @throws {Error} for an option that it does not know */
function readWget(given: readonly string[]): Download {
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const headers: [string, string][] = []
  let url = ''
  const args = given.flatMap((word) =>
    /^--[\w-]+=/.test(word) ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word],
  )
  for (let word = args.shift(); word !== undefined; word = args.shift()) {
    if (word.startsWith('--')) {
      const name = word.slice(2)
      if (name === 'header') {
        const value = args.shift() ?? ''
        headers.push([value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1).trim()])
      } else if (['timeout', 'output-document', 'post-data', 'tries', 'user-agent', 'ca-certificate', 'connect-timeout'].includes(name))
        values.set({ timeout: 'T', 'output-document': 'O' }[name] ?? name, args.shift() ?? '')
      else if (['spider', 'quiet', 'no-check-certificate', 'no-verbose', 'server-response', 'continue', 'no-proxy'].includes(name))
        flags.add(name)
      else throw new Error(`unrecognized option '${word}'`)
    } else if (word.startsWith('-') && word !== '-') {
      for (let i = 1; i < word.length; i++) {
        const letter = word[i] ?? ''
        if (!'OTtUP'.includes(letter)) flags.add(letter)
        else {
          values.set(letter, word.slice(i + 1) || (args.shift() ?? ''))
          break
        }
      }
    } else url = word
  }
  return {
    url: /^https?:\/\//.test(url) ? url : `http://${url}`,
    output: values.get('O'),
    quiet: flags.has('q') || flags.has('quiet'),
    spider: flags.has('spider'),
    showHead: flags.has('S') || flags.has('server-response'),
    timeoutMs: (Number(values.get('T')) || 900) * 1000,
    headers,
    body: values.get('post-data'),
  }
}

/** `wget -q -O - URL`, `--spider`, `-T SECONDS`, as busybox has it. */
const wget: AnyProgram = async (container) => {
  const { url, output, quiet, spider, showHead, timeoutMs, headers, body } = readWget(container.args)
  const say = (text: string) => (quiet ? Promise.resolve() : container.stderr.write(text))
  const late = new AbortController()
  const cancel = container.clock.after(timeoutMs, () => late.abort(new Error('timed out')))
  const { host, hostname, port, protocol, pathname } = new URL(url)
  try {
    const [ip] = await container.lookup(hostname.replace(/^\[|\]$/g, '')).catch(() => [undefined])
    if (ip !== undefined) await say(`Connecting to ${host} (${ip}:${port || (protocol === 'https:' ? 443 : 80)})\n`)
    const response = await container.fetch(url, {
      insecureSkipTlsVerify: true,
      signal: late.signal,
      headers: [...headers],
      ...(body !== undefined && { method: 'POST', body }),
    })
    if (showHead)
      await container.stderr.write(
        `  HTTP/1.1 ${response.status} ${response.statusText}\n${[...response.headers].map(([n, v]) => `  ${n}: ${v}\n`).join('')}`,
      )
    if (!response.ok) {
      await container.stderr.write(`wget: server returned error: HTTP/1.1 ${response.status} ${response.statusText}\n`)
      return 1
    }
    const bytes = Buffer.from(await response.arrayBuffer())
    if (spider) {
      await say('remote file exists\n')
      return 0
    }
    const file = output ?? (pathname.split('/').pop() || 'index.html')
    await say(file === '-' ? 'writing to stdout\n' : `saving to '${file}'\n`)
    if (file === '-') await container.stdout.write(bytes)
    else if (file !== '/dev/null') await container.files.writeFile(file, bytes)
    await say(
      `${file.padEnd(20)} 100% |${'*'.repeat(32)}| ${String(bytes.length).padStart(5)}  0:00:00 ETA\n${file === '-' ? 'written to stdout' : `'${file}' saved`}\n`,
    )
    return 0
  } catch (error) {
    // Also where it is to be quiet: as busybox has it.
    await container.stderr.write(`wget: ${wgetWords(error, late.signal.aborted, hostname)}\n`)
    return 1
  } finally {
    cancel()
  }
}

function wgetWords(error: unknown, late: boolean, hostname: string): string {
  if (late) return 'download timed out'
  const { code, address, words } = whyNot(error, undefined, `http://${hostname}`)
  if (code === FAILED.resolve) return `bad address '${hostname}'`
  return code === FAILED.connect ? `can't connect to remote host (${address ?? hostname}): Connection refused` : words
}

/** Programs that ask others over the cluster's network, by name. */
export const NETWORK_COMMANDS: Readonly<Record<string, AnyProgram>> = { curl, wget, ...CONNECTING, ...NAMING }
