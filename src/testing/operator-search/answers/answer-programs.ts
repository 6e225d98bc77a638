import type { Duplex } from 'node:stream'
import { untilAborted } from '../../../base/on-abort.ts'
import { quietErrors } from '../../../base/quiet.ts'
import { matchesPattern } from '../../../machinery/structural/pattern.ts'
import type { ContainerProcess, ImageProgram, ImagePrograms } from '../../../node/programs/program.ts'
import type { HttpAnswer, ImageAnswers, TcpAnswer } from './pod-answers.ts'

/** More bytes without an answer are not kept. */
const MOST_BYTES = 64 * 1024

/** Programs that give these answers, for the containers of a cluster. */
export function answerPrograms(answers: readonly ImageAnswers[]): ImagePrograms {
  return Object.fromEntries(answers.map((of) => [of.image ?? '**', programOf(of)]))
}

function programOf({ exec = [], http = [], tcp = [] }: ImageAnswers): ImageProgram {
  return {
    async run(container) {
      for (const [port, own] of byPort(http)) await container.listen(port, (request) => httpAnswer(own, request))
      for (const [port, own] of byPort(tcp)) await container.listen(port, { connection: (connection) => answerMessages(own, connection) })
      await untilAborted(container.signal)
      return 0
    },
    exec: async (container) => {
      const command = container.argv.join(' ')
      const answer = exec.find((a) => fits(a.command, command))
      if (answer === undefined) return unknownCommand(container, command)
      if (answer.stdout) await container.stdout.write(answer.stdout)
      if (answer.stderr) await container.stderr.write(answer.stderr)
      return answer.exitCode ?? 0
    },
  }
}

async function unknownCommand(container: ContainerProcess, command: string): Promise<number> {
  await container.stderr.write(`${command}: no answer fits this command\n`)
  return 127
}

function byPort<T extends { readonly port: number }>(answers: readonly T[]): ReadonlyMap<number, readonly T[]> {
  return Map.groupBy(answers, (answer) => answer.port)
}

const fits = (pattern: string, text: string) => matchesPattern(`^(?:${pattern})$`, text)

function httpAnswer(answers: readonly HttpAnswer[], { method, url }: Request): Response {
  const { pathname, search } = new URL(url)
  const answer = answers.find((a) => (a.method ?? method).toUpperCase() === method && fits(a.path ?? '(?s).*', `${pathname}${search}`))
  if (answer === undefined) return new Response(`no answer fits ${method} ${pathname}\n`, { status: 404 })
  return new Response(answer.body ?? '', { status: answer.status ?? 200, headers: { ...answer.headers } })
}

/** Sends each answer whose text arrives; one without a text is a greeting. */
function answerMessages(answers: readonly TcpAnswer[], connection: Duplex): void {
  let received = ''
  const reply = ({ send, close = false }: TcpAnswer) => {
    connection.write(send)
    if (close) connection.end()
  }
  for (const greeting of answers.filter((a) => a.receive === undefined)) reply(greeting)
  quietErrors(connection, 'the other side has gone')
  connection.on('data', (part: Buffer) => {
    received = (received + part.toString()).slice(-MOST_BYTES)
    const answer = answers.find((a) => a.receive !== undefined && matchesPattern(a.receive, received))
    if (answer === undefined) return
    received = ''
    reply(answer)
  })
}
