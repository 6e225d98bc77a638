/** Images whose programs take the processor or the memory for themselves; see `programs-apart.test.ts`. */
import type { ImagePrograms, Program } from '../../src/node/programs/program.ts'

const loop = () => {
  for (;;);
}

/** Objects of the heap, without end. */
const fillHeap = () => {
  let all: object = {}
  for (let i = 0; ; i++) all = { all, text: `${i}`.repeat(100) }
}

/** Memory beside the heap, without end. */
const fillBuffers: Program = async (container) => {
  for (const all: Buffer[] = []; ; await container.clock.sleep(1)) all.push(Buffer.alloc(16 << 20, 1))
}

/** Does what the path of a request names. */
const server: Program = async (container) => {
  await container.listen(80, (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/loop') return loop()
    return new Response(`${pathname} by ${container.facts.hostname}\n`)
  })
  container.log('listening')
}

export default {
  'example/loop': loop,
  'example/fill-heap': fillHeap,
  'example/fill-buffers': fillBuffers,
  'example/server': server,
  'example/throw-later': async (container) => {
    // Beside the program's clock: the error has no promise that the program could reject.
    setTimeout(() => {
      throw new Error('thrown in a timer of Node')
    }, 50)
    await container.clock.sleep(1e9)
  },
} satisfies ImagePrograms
