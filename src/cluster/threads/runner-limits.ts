/** What bounds a runner, the process of the programs of containers. */
export interface RunnerLimits {
  /** A runner whose event loop has not turned for so long is ended. */
  readonly stuckMs: number
  /** Time for its programs to end when it is stopped. */
  readonly stopMs: number
  /** A runner whose objects need more is ended. */
  readonly heapMb: number
  /** A runner that takes more memory of the machine is ended: files and buffers lie beside the heap. */
  readonly memoryMb: number
}
