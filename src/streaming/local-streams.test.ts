/** Clients inside the process: the streams between them and the served process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ByteSource, CommandStreams } from '../machinery/streams.ts'
import { localCommand, localPorts } from './local-streams.ts'

const ALL: CommandStreams = { stdin: true, stdout: true, stderr: true, tty: false }

async function textOf(source: ByteSource | undefined): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source ?? []) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function command(wanted: CommandStreams = ALL) {
  const { connection, process } = localCommand()
  assert.ok(connection.kind === 'command')
  const accepted = connection.accept(wanted)
  return { accepted, client: await process }
}

const given: readonly (readonly [wanted: Partial<CommandStreams>, streams: readonly string[]])[] = [
  [{}, ['stdin', 'stdout', 'stderr', 'tty']],
  [{ stdin: false }, ['stdout', 'stderr', 'tty']],
  [{ stdout: false, stderr: false }, ['stdin', 'tty']],
  [{ tty: true }, ['stdin', 'stdout', 'resizes', 'tty']],
  [{ stdin: false, stdout: false, stderr: false }, ['tty']],
]
for (const [wanted, streams] of given)
  test(`a process whose client wants ${JSON.stringify(wanted)} has ${streams.join(', ')}`, async () => {
    const { accepted } = await command({ ...ALL, ...wanted })
    assert.deepEqual(Object.keys(accepted.streams), streams)
  })

test('what is written on one side is read on the other, in order', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(pieces, pieces, pieces, async (input, output, errors) => {
      const { accepted, client } = await command()
      const { stdin, stdout, stderr } = accepted.streams
      const read = Promise.all([textOf(stdin), textOf(client.stdout), textOf(client.stderr)])
      for (const piece of input) await client.stdin.write(piece)
      await client.stdin.end()
      for (const piece of output) await stdout?.write(piece)
      for (const piece of errors) await stderr?.write(piece)
      // This process ends when it has read its standard input.
      const [seen] = await Promise.all([read, accepted.finish({ kind: 'exit', exitCode: 0 })])
      assert.deepEqual(seen.slice(1), [Buffer.concat(output).toString(), Buffer.concat(errors).toString()])
      assert.equal(seen[0], Buffer.concat(input).toString())
    }),
    { numRuns: 50 },
  )
})

test('the client gets the exit code', async () => {
  const { accepted, client } = await command()
  await accepted.finish({ kind: 'exit', exitCode: 137 })
  assert.deepEqual(await client.exit, { exitCode: 137 })
})

test('so does why it could not be run', async () => {
  const { accepted, client } = await command()
  await accepted.finish({ kind: 'failed', error: new Error('no such program') } as unknown as Parameters<typeof accepted.finish>[0])
  await assert.rejects(client.exit, /no such program/)
})

test('a process that has ended reads no more', async () => {
  const { accepted, client } = await command()
  await accepted.finish({ kind: 'exit', exitCode: 0 })
  await assert.rejects(client.stdin.write(Buffer.from('late')), /the process has ended/)
})

test('the process is notified of a client that disconnects, on every stream', async () => {
  const { accepted, client } = await command({ ...ALL })
  const reading = assert.rejects(textOf(accepted.streams.stdin), /the client has gone/)
  await client[Symbol.asyncDispose]()
  await reading
  assert.equal(accepted.gone.aborted, true)
  const { stdout, stderr } = accepted.streams
  await assert.rejects(async () => stdout?.write(Buffer.from('x')), /the client has gone/)
  await assert.rejects(async () => stderr?.write(Buffer.from('x')), /the client has gone/)
  await assert.rejects(client.exit, /the client has gone/)
})

test('of several sizes the last unread one counts, and they end with the process', async () => {
  const { accepted, client } = await command({ ...ALL, tty: true })
  client.resize({ width: 80, height: 24 })
  client.resize({ width: 100, height: 30 })
  const sizes = accepted.streams.resizes?.[Symbol.asyncIterator]()
  assert.ok(sizes)
  assert.deepEqual((await sizes.next()).value, { width: 100, height: 30 })
  const next = sizes.next()
  client.resize({ width: 1, height: 2 })
  assert.deepEqual((await next).value, { width: 1, height: 2 })
  const last = sizes.next()
  await accepted.finish({ kind: 'exit', exitCode: 0 })
  assert.equal((await last).done, true)
})

test('a connection to a port carries both directions, and ends with its server', async () => {
  const { connection, ports } = localPorts()
  assert.ok(connection.kind === 'ports')
  const over = connection.accept(async (port, { source, sink }) => {
    await sink.write(Buffer.from(`${port}: ${await textOf(source)}`))
  })
  const client = await ports
  const one = await client.open(80)
  const other = await client.open(81)
  await other.sink.write(Buffer.from('b'))
  await one.sink.write(Buffer.from('a'))
  await Promise.all([one.sink.end(), other.sink.end()])
  assert.deepEqual(await Promise.all([textOf(one.source), textOf(other.source)]), ['80: a', '81: b'])
  await client[Symbol.asyncDispose]()
  await over
})

for (const thrown of [new Error('connection refused'), 'connection refused'])
  test(`what a port throws (${typeof thrown}) is what its reader gets`, async () => {
    const { connection, ports } = localPorts()
    assert.ok(connection.kind === 'ports')
    void connection.accept(async () => {
      throw thrown
    })
    const { source, sink } = await (await ports).open(80)
    await assert.rejects(textOf(source), /connection refused/)
    await assert.rejects(sink.write(Buffer.from('x')), /the connection has ended/)
  })

test('a client that disconnects resets its connections', async () => {
  const { connection, ports } = localPorts()
  assert.ok(connection.kind === 'ports')
  const served = Promise.withResolvers<string>()
  const over = connection.accept((_, { source }) => textOf(source).then(served.resolve, (error: Error) => served.resolve(error.message)))
  const client = await ports
  const { source } = await client.open(80)
  await client[Symbol.asyncDispose]()
  assert.equal(await served.promise, 'the client has gone')
  await assert.rejects(textOf(source), /the client has gone/)
  await over
})
