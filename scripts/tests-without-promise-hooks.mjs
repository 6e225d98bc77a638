/**
 * Loaded before a test file (`--import`). `node:test` follows each promise, to name the test of an error that nothing caught: this costs a fifth
 * to a third of a file's time. Without it such an error fails the file.
 */
import asyncHooks from 'node:async_hooks'

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
