// Keeps the screen on.

import { useEffect } from "./kit.js";

/** Keeps the screen on while it is wanted. A browser that cannot do that loses nothing. */
export function useAwake(isWanted = true) {
  useEffect(() => {
    if (!isWanted) return;
    let lock;
    let isHere = true;
    const take = async () => {
      if (document.visibilityState !== "visible") return;
      lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
      if (!isHere) await lock?.release();
    };
    void take();
    // It is lost when somebody looks at another page.
    document.addEventListener("visibilitychange", take);
    return () => {
      isHere = false;
      document.removeEventListener("visibilitychange", take);
      void lock?.release();
    };
  }, [isWanted]);
}
