import { isObject } from '../../../machinery/object.ts'
import { compilePattern } from '../../../machinery/structural/pattern.ts'

/** The answer to a command that is run in a container. */
export interface ExecAnswer {
  /** A regular expression that fits the whole command, its words joined by spaces. */
  readonly command: string
  readonly stdout?: string
  readonly stderr?: string
  /** Default 0. */
  readonly exitCode?: number
}

/** The answer to an HTTP request. */
export interface HttpAnswer {
  readonly port: number
  /** Default: any. */
  readonly method?: string
  /** A regular expression that fits the whole path, with its query. Default: any. */
  readonly path?: string
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The answer to bytes on a TCP connection. */
export interface TcpAnswer {
  readonly port: number
  /** A regular expression; the answer is sent when what has arrived since the last answer contains it. Default: at once. */
  readonly receive?: string
  readonly send: string
  /** Close the connection after it. Default false. */
  readonly close?: boolean
}

/** What the containers of some images answer. */
export interface ImageAnswers {
  /** `example/database:*`; `**` is any. Default `**`. */
  readonly image?: string
  readonly exec?: readonly ExecAnswer[]
  readonly http?: readonly HttpAnswer[]
  readonly tcp?: readonly TcpAnswer[]
}

/** The fields of each kind of answer: `!` is required, `n` a number, `r` a regular expression. */
const FIELDS: Readonly<Record<'exec' | 'http' | 'tcp', Readonly<Record<string, string>>>> = {
  exec: { command: '!r', stdout: '', stderr: '', exitCode: 'n' },
  http: { port: '!n', method: '', path: 'r', status: 'n', headers: 'o', body: '' },
  tcp: { port: '!n', receive: 'r', send: '!', close: 'b' },
}
const TYPES: Readonly<Record<string, string>> = { n: 'number', o: 'object', b: 'boolean' }

/** Reads the content of an answers file. @throws {Error} that says where it is wrong */
export function readAnswers(content: unknown): readonly ImageAnswers[] {
  const answers = isObject(content) ? content.answers : undefined
  if (!Array.isArray(answers)) throw new Error('no list `answers`')
  return answers.map((entry: unknown, i) => {
    if (!isObject(entry)) throw new Error(`answers[${i}] is no object`)
    for (const [name, value] of Object.entries(entry)) {
      if (name === 'image' && typeof value === 'string') continue
      if (name !== 'exec' && name !== 'http' && name !== 'tcp')
        throw new Error(`answers[${i}].${name}: image, exec, http and tcp are known`)
      checkList(value, FIELDS[name], `answers[${i}].${name}`)
    }
    return entry as ImageAnswers
  })
}

function checkList(list: unknown, fields: Readonly<Record<string, string>>, at: string): void {
  if (!Array.isArray(list)) throw new Error(`${at} is no list`)
  for (const [i, answer] of list.entries()) {
    if (!isObject(answer)) throw new Error(`${at}[${i}] is no object`)
    for (const name of Object.keys(answer))
      if (fields[name] === undefined) throw new Error(`${at}[${i}].${name}: ${Object.keys(fields).join(', ')} are known`)
    for (const [name, rule] of Object.entries(fields)) checkField(answer[name], rule, `${at}[${i}].${name}`)
  }
}

function checkField(value: unknown, rule: string, at: string): void {
  if (value === undefined && rule.startsWith('!')) throw new Error(`${at} is missing`)
  if (value === undefined) return
  const type = TYPES[rule.at(-1) ?? ''] ?? 'string'
  if (typeof value !== type) throw new Error(`${at} is no ${type}`)
  if (!rule.endsWith('r')) return
  const compiled = compilePattern(String(value))
  if (typeof compiled === 'string') throw new Error(`${at}: ${compiled}`)
}
