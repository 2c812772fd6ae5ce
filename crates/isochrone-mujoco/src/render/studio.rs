//! A thread that draws and does nothing else.

use super::canvas::Canvas;
use super::{Goal, RenderError, Stage};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

type Answer = Result<Vec<u8>, RenderError>;

/// One picture to draw, and who waits for it.
struct Order {
    pose: Vec<f64>,
    goal: Option<Goal>,
    answer: Sender<Answer>,
}

/// The thread and the way to it. It ends, and frees what it holds, when this is dropped.
#[derive(Debug)]
pub(super) struct Studio {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Studio {
    /// Starts the thread and waits until it can draw, or cannot.
    pub(super) fn open(stage: &Stage) -> Result<Self, RenderError> {
        let (orders, inbox) = channel();
        let (opened, is_open) = channel();
        let stage = stage.clone();
        let thread = Builder::new()
            .name("renderer".to_owned())
            .spawn(move || match Canvas::open(&stage) {
                Ok(canvas) => {
                    // Nobody listens only if the caller is gone; then there will be no orders either.
                    let _ = opened.send(Ok(()));
                    work(canvas, &inbox);
                }
                Err(error) => {
                    let _ = opened.send(Err(error));
                }
            })
            .map_err(|error| RenderError::Lost {
                reason: format!("no thread to draw on: {error}"),
            })?;
        let studio = Self {
            orders: Some(orders),
            thread: Some(thread),
        };
        is_open.recv().map_err(|_| gone())??;
        Ok(studio)
    }

    pub(super) fn draw(&self, pose: Vec<f64>, goal: Option<Goal>) -> Answer {
        let (answer, picture) = channel();
        let order = Order { pose, goal, answer };
        let orders = self.orders.as_ref().ok_or_else(gone)?;
        orders.send(order).map_err(|_| gone())?;
        picture.recv().map_err(|_| gone())?
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        // Without a sender the thread ends; waiting for it keeps OpenGL from outliving the process's libraries.
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(mut canvas: Canvas, inbox: &Receiver<Order>) {
    for order in inbox {
        let picture = canvas.draw(&order.pose, order.goal);
        // Whoever no longer waits does not need the picture.
        let _ = order.answer.send(picture);
    }
}

fn gone() -> RenderError {
    RenderError::Lost {
        reason: "the thread that draws has ended".to_owned(),
    }
}
