import { type DnsRecord, RECORD_TYPES, type RecordType } from '../../../machinery/network/dns-records.ts'
import type { AnyProgram, ShippedProcess } from './shipped-process.ts'

const PING_EVERY_MS = 1000
/** What a virtual round costs. */
const ROUND_MS = 0.1

function addresses(container: ShippedProcess, name: string): Promise<readonly string[] | undefined> {
  return container.lookup(name).catch(() => undefined)
}

/** The whole name that is found first, with its addresses. */
async function whole(
  container: ShippedProcess,
  name: string,
): Promise<{ readonly name: string; readonly ips: readonly string[] } | undefined> {
  const resolv = await container.files.readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  const searches = resolv.match(/^search (.*)$/m)?.[1]?.split(/\s+/) ?? []
  for (const candidate of name.endsWith('.') ? [name.slice(0, -1)] : [...searches.map((s) => `${name}.${s}`), name]) {
    const ips = await addresses(container, `${candidate}.`)
    if (ips !== undefined) return { name: candidate, ips }
  }
  const ips = await addresses(container, name)
  return ips && { name, ips }
}

async function server(container: ShippedProcess): Promise<string> {
  const resolv = await container.files.readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  return resolv.match(/^nameserver (\S+)$/m)?.[1] ?? '127.0.0.1'
}

const nslookup: AnyProgram = async (container) => {
  const words = container.args.filter((a) => !a.startsWith('-'))
  const [name = ''] = words
  const requested = words[1] ?? (await server(container))
  await container.stdout.write(`Server:\t\t${requested}\nAddress:\t${requested}:53\n\n`)
  const type =
    container.args
      .find((a) => /^-(type|query|q)=/i.test(a))
      ?.split('=')[1]
      ?.toLowerCase() ?? 'a'
  if (type === 'srv') {
    const records = await container.lookupService(name).catch(() => [])
    for (const { port, target } of records) await container.stdout.write(`${name}\tservice = 0 100 ${port} ${target}.\n`)
    if (records.length > 0) return 0
  } else {
    const found = await whole(container, name)
    const ips = found?.ips.filter((ip) => type !== 'aaaa' || ip.includes(':')) ?? []
    if (found !== undefined && (ips.length > 0 || type === 'aaaa')) {
      await container.stdout.write(ips.map((ip) => `Name:\t${found.name}\nAddress: ${ip}\n`).join(''))
      return 0
    }
  }
  await container.stdout.write(`** server can't find ${name}: NXDOMAIN\n`)
  return 1
}

const host: AnyProgram = async (container) => {
  const [name = ''] = container.args.filter((a) => !a.startsWith('-'))
  const found = await whole(container, name)
  await container.stdout.write(
    found === undefined
      ? `Host ${name} not found: 3(NXDOMAIN)\n`
      : found.ips.map((ip) => `${found.name} has ${ip.includes(':') ? 'IPv6 ' : ''}address ${ip}\n`).join(''),
  )
  return Number(found === undefined)
}

/** The TTL of an answer in seconds, as the cluster's name server gives it. */
const HOLDS_S = 30

const typeOf = (word: string) => RECORD_TYPES.find((type) => type === word.toUpperCase())

interface DigQuery {
  readonly name: string
  readonly types: readonly RecordType[]
  /** Words that begin with `+`. */
  readonly options: ReadonlySet<string>
}

/** `dig NAME TYPE +short`, in any order, also `-t TYPE`, `-x ADDRESS` and `@SERVER` (there is one). */
function readDig(args: readonly string[]): DigQuery {
  let [name, types]: [string, readonly RecordType[]] = ['', ['A']]
  const options = new Set<string>()
  args.forEach((word, i) => {
    const type = typeOf(word)
    if (word.startsWith('+')) options.add(word)
    else if (args[i - 1] === '-x') [name, types] = [`${word.split('.').reverse().join('.')}.in-addr.arpa.`, ['PTR']]
    else if (type !== undefined) types = [type]
    else if (/^any$/i.test(word)) types = ['A', 'AAAA']
    else if (!word.startsWith('-') && !word.startsWith('@') && !/^in$/i.test(word)) name = word
  })
  return { name, types, options }
}

/** Asks the cluster's name server, not `/etc/hosts`. `+search` asks for what the search list makes of the name. */
const dig: AnyProgram = async (container) => {
  const { name, types, options } = readDig(container.args)
  const found = await Promise.all(types.map((type) => container.records(name, type, { search: options.has('+search') })))
  const line = ({ name: owner, type, data }: DnsRecord) =>
    options.has('+short') ? `${data}\n` : `${owner}.\t${HOLDS_S}\tIN\t${type}\t${data}\n`
  const records = found.flat()
  const plain = !options.has('+short') && !options.has('+noall')
  if (plain) {
    const status = records.length > 0 ? 'NOERROR' : 'NXDOMAIN'
    await container.stdout.write(`;; ->>HEADER<<- opcode: QUERY, status: ${status}\n;; ANSWER SECTION:\n`)
  }
  if (plain || options.has('+short') || options.has('+answer')) await container.stdout.write(records.map(line).join(''))
  return 0
}

/** `getent hosts NAME`, `getent ahosts NAME`. */
const getent: AnyProgram = async (container) => {
  const [, name = ''] = container.args
  const found = await whole(container, name)
  for (const ip of found?.ips ?? []) await container.stdout.write(`${ip}  ${found?.name}\n`)
  return found === undefined ? 2 : 0
}

/** Pods and nodes answer; addresses of services do not: there are only rules behind them. */
const ping: AnyProgram = async (container) => {
  const at = container.args.findIndex((a) => a.startsWith('-c'))
  const given = container.args[at]?.slice(2) || container.args[at + 1]
  const count = at < 0 ? Number.POSITIVE_INFINITY : Number(given) || 1
  const valued = new Set(['-c', '-W', '-w', '-i', '-s', '-I'])
  const [name = ''] = container.args.filter((a, i, all) => !a.startsWith('-') && !valued.has(all[i - 1] ?? ''))
  const [ip] = (await addresses(container, name)) ?? []
  if (ip === undefined) {
    await container.stderr.write(`ping: bad address '${name}'\n`)
    return 1
  }
  const answers = container.reaches(ip)
  await container.stdout.write(`PING ${name} (${ip}): 56 data bytes\n`)
  let sent = 0
  while (sent < count) {
    if (answers) await container.stdout.write(`64 bytes from ${ip}: seq=${sent} ttl=64 time=${ROUND_MS.toFixed(3)} ms\n`)
    sent++
    if (sent < count || !answers) await container.clock.sleep(PING_EVERY_MS)
  }
  const lost = answers ? 0 : 100
  await container.stdout.write(
    `\n--- ${name} ping statistics ---\n${sent} packets transmitted, ${answers ? sent : 0} packets received, ${lost}% packet loss\n`,
  )
  return Number(!answers)
}

/** Programs that ask for names and hosts. */
export const NAMING: Readonly<Record<string, AnyProgram>> = { nslookup, host, dig, getent, ping }
