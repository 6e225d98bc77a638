import { nc } from './nc.ts'
import type { AnyProgram, ShippedProcess } from './shipped-process.ts'
import { FAILED, whyNot } from './why-not.ts'

interface Asked {
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
const VALUED = new Set(['X', 'H', 'd', 'm', 'o', 'w', 'A', 'u', 'T'])
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
}

/** @throws {Error} for an option that it does not know */
function readCurl(args: readonly string[]): Asked {
  const rest = [...args]
  const values = new Map<string, string>()
  const flags = new Set<string>()
  const headers: [string, string][] = []
  let url = ''
  const give = (letter: string, value: string) => {
    if (letter === 'H') headers.push([value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1).trim()])
    else values.set(letter, value)
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word.startsWith('--')) {
      const name = LONG[word.slice(2)]
      if (name === undefined) throw new Error(`option ${word}: is unknown`)
      if (VALUED.has(name) || name === 'cacert' || name === 'retry') give(name, rest.shift() ?? '')
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

const curl: AnyProgram = async (container) => {
  const asked = readCurl(container.args)
  const late = new AbortController()
  const cancel = asked.timeoutMs === undefined ? () => {} : container.clock.after(asked.timeoutMs, () => late.abort(new Error('timed out')))
  try {
    const response = await container.fetch(asked.url, {
      method: asked.method,
      headers: [...asked.headers],
      ...(asked.body !== undefined && { body: asked.body }),
      redirect: asked.flags.has('L') ? 'follow' : 'manual',
      insecureSkipTlsVerify: asked.flags.has('k'),
      ...(asked.caFile !== undefined && { caFile: asked.caFile }),
      signal: late.signal,
    })
    if (asked.flags.has('f') && response.status >= 400) {
      await container.stderr.write(`curl: (22) The requested URL returned error: ${response.status}\n`)
      return FAILED.http
    }
    const head = asked.flags.has('I') || asked.flags.has('i')
    const text = head
      ? `HTTP/1.1 ${response.status} ${response.statusText}\r\n${[...response.headers].map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`
      : ''
    const body = asked.method === 'HEAD' ? '' : await response.text()
    if (asked.output === undefined || asked.output === '-') await container.stdout.write(text + body)
    else if (asked.output !== '/dev/null') await container.files.writeFile(asked.output, text + body)
    const format = asked.format?.replace(/%\{(http_code|response_code)\}/g, String(response.status)).replaceAll('\\n', '\n')
    if (format !== undefined) await container.stdout.write(format)
    return 0
  } catch (error) {
    const { code, words } = whyNot(error, late.signal.aborted)
    if (!asked.flags.has('s') || asked.flags.has('S')) await container.stderr.write(`curl: (${code}) ${words}\n`)
    return code
  } finally {
    cancel()
  }
}

/** `wget -q -O - URL`, `--spider`, `-T SECONDS`, as busybox has it. */
const wget: AnyProgram = async (container) => {
  const args = [...container.args]
  let [url, output, quiet, spider, seconds] = ['', undefined as string | undefined, false, false, 10]
  for (let word = args.shift(); word !== undefined; word = args.shift()) {
    if (word === '-O' || word === '-qO') output = args.shift()
    else if (/^-q?O./.test(word)) output = word.slice(word.indexOf('O') + 1)
    else if (word === '-T' || word === '--timeout') seconds = Number(args.shift()) || 10
    else if (/^(-T|--timeout=)\d+$/.test(word)) seconds = Number(word.replace(/\D+/, '')) || 10
    else if (word === '--spider') spider = true
    else if (!word.startsWith('-')) url = word
    if (/^-q/.test(word)) quiet = true
  }
  const target = /^https?:\/\//.test(url) ? url : `http://${url}`
  const late = new AbortController()
  const cancel = container.clock.after(seconds * 1000, () => late.abort(new Error('timed out')))
  try {
    const response = await container.fetch(target, { insecureSkipTlsVerify: true, signal: late.signal })
    if (!response.ok) {
      await container.stderr.write(`wget: server returned error: HTTP/1.1 ${response.status} ${response.statusText}\n`)
      return 1
    }
    const body = await response.text()
    if (spider) return 0
    if (output === '-') await container.stdout.write(body)
    else await container.files.writeFile(output ?? (new URL(target).pathname.split('/').pop() || 'index.html'), body)
    return 0
  } catch (error) {
    if (!quiet) await container.stderr.write(`wget: ${late.signal.aborted ? 'download timed out' : whyNot(error, false).words}\n`)
    return 1
  } finally {
    cancel()
  }
}

const nslookup: AnyProgram = async (container) => {
  const [name = ''] = container.args.filter((a) => !a.startsWith('-'))
  const found = await addresses(container, name)
  if (found === undefined) {
    await container.stdout.write(`** server can't find ${name}: NXDOMAIN\n`)
    return 1
  }
  await container.stdout.write(found.map((ip) => `Name:\t${name}\nAddress: ${ip}\n`).join(''))
  return 0
}

/** `dig +short NAME`; the records of addresses and of `SRV`. */
const dig: AnyProgram = async (container) => {
  const words = container.args.filter((a) => !a.startsWith('+') && !a.startsWith('-') && !a.startsWith('@'))
  const kind = words.find((w) => /^(A|AAAA|SRV)$/i.test(w))?.toUpperCase() ?? 'A'
  const [name = ''] = words.filter((w) => !/^(A|AAAA|SRV)$/i.test(w))
  if (kind === 'SRV') {
    const records = await container.lookupService(name).catch(() => [])
    for (const { port, target } of records) await container.stdout.write(`${name}. 30 IN SRV 0 100 ${port} ${target}.\n`)
    return 0
  }
  const short = container.args.includes('+short')
  for (const ip of (await addresses(container, name)) ?? [])
    await container.stdout.write(short ? `${ip}\n` : `${name}. 30 IN ${kind} ${ip}\n`)
  return 0
}

/** `getent hosts NAME`. */
const getent: AnyProgram = async (container) => {
  const [, name = ''] = container.args
  const found = await addresses(container, name)
  for (const ip of found ?? []) await container.stdout.write(`${ip}  ${name}\n`)
  return found === undefined ? 2 : 0
}

function addresses(container: ShippedProcess, name: string): Promise<readonly string[] | undefined> {
  return container.lookup(name).catch(() => undefined)
}

/** Programs that ask others over the cluster's network, by name. */
export const NETWORK_COMMANDS: Readonly<Record<string, AnyProgram>> = { curl, wget, nc, nslookup, dig, getent }
