/** Images that are never read to their end; see `runner-process.test.ts`. */
for (;;);
