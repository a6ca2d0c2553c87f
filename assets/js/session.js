// When the socket closes because the session has ended, the page leads to where the passphrase is given.
(() => {
  const look = async () => {
    try {
      const answer = await fetch("/assets/js/session.js", { cache: "no-store" });
      if (answer.status === 401) window.location.reload();
    } catch {
      // The server is away: the page says so itself, and tries again.
    }
  };
  const follow = () => {
    if (!window.socket) {
      setTimeout(follow, 500);
      return;
    }
    window.socket.on("disconnect", look);
    window.socket.io.on("reconnect_error", look);
  };
  follow();
})();
