import type { ImagePrograms, Program } from '../../src/node/programs/program.ts'

/** A web server with the page that the image `nginx` comes with. */
const nginx: Program = async (container) => {
  await container.listen(
    80,
    () => new Response('<html><body><h1>Welcome to nginx!</h1></body></html>\n', { headers: { 'content-type': 'text/html' } }),
  )
}

/** Replaces Python's interpreter where a suite runs an echo server with it: the ports are the script's arguments. */
const echoServer: Program = async (container) => {
  for (const port of container.args.map(Number).filter((n) => n > 0))
    await container.listen(port, { connection: (connection) => void connection.on('error', () => {}).pipe(connection) })
}

/** What the images do that suites run, where that is more than a shell: simulated containers run nothing by themselves. */
export const PEER_IMAGES: ImagePrograms = { nginx, python: { run: echoServer, commands: { python: echoServer } } }
