fn main() {
    println!("{:#}", local::api().1);
}
